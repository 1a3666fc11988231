"""The compiled derivative of every operation, beside the tape's, which has finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.backward.derivatives import DERIVATIVES
from acrobat.ir.ops import OPS
from tests.backward.against_tape import VM, check


@ab.params
class P:
    a: Float32[Tensor, "3 4"]
    b: Float32[Tensor, "3 4"]
    v: Float32[Tensor, "4"]
    w: Float32[Tensor, "4 4"]
    s: Float32[Tensor, ""]
    t: Float32[Tensor, "5 4 4"]


def drawn(seed: int = 2) -> P:
    rng = np.random.default_rng(seed)
    shapes = {"a": (3, 4), "b": (3, 4), "v": (4,), "w": (4, 4), "s": (), "t": (5, 4, 4)}
    arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    return P(**arrays)


# An instance's number makes of every weight a value of the node's own; so each operation is in a
# block, and none is folded.


@ab.model
def smooth(p: P, x: float) -> tuple[Float32[Tensor, "3 4"], Float32[Tensor, "4"]]:
    a, v = p.a * x, p.v * x
    y = ops.tanh(a) + ops.sigmoid(a * v) * ops.gelu(a) - ops.silu(v) / (ops.exp(a) + 1.0)
    y = y + ops.softplus(a) * ops.erf(v) + ops.sin(a) * ops.cos(v) + ops.expm1(a) * 0.5
    z = ops.log1p(v * v) + ops.log(v * v + 0.5) + ops.sqrt(v * v + 1.0)
    return y, z + 1.0 / ops.sqrt(v * v + 2.0) + 3.0 - v


@ab.model
def edged(p: P, x: float) -> tuple[Float32[Tensor, "3 4"], Float32[Tensor, "4"]]:
    a, b, v = p.a * x, p.b * x, p.v * x
    y = ops.maximum(a, b) * ops.relu(a) + ops.minimum(a, v) * ops.abs(b)
    z = ops.where(ops.less(v, 0.0), v * v, -v)
    same = ops.maximum(v, v) + ops.minimum(z, z)
    return y + ops.relu(v), z + same * ops.greater_equal(v, z)


@ab.model
def powers(p: P, x: float) -> Float32[Tensor, "4"]:
    v = ops.abs(p.v * x) + 0.2
    return v**2 + v**3.0 + 2.0**v + ops.pow(v, v) + v**-1.0 + v**0.5


@ab.model
def products(
    p: P, x: float
) -> tuple[Float32[Tensor, "3 4"], Float32[Tensor, "4"], Float32[Tensor, ""]]:
    a, v, w = p.a * x, p.v * x, p.w * x
    y = ops.linear(a, w, v) @ p.w.T + a @ ops.transpose(w)
    z = v @ w + w @ v + p.w @ v + p.w.T @ (v + 1.0) + ops.linear(v, p.w, p.v)
    return y @ (w.T @ w), z + (a @ v) @ a, ops.dot(v, z) + ops.sum(ops.outer(v, z) * w)


@ab.model
def shared_vectors(p: P, x: float) -> Float32[Tensor, "4"]:
    v = p.v * x
    return ops.outer(p.v, v) @ p.v + ops.outer(v, p.v) @ v + p.v @ ops.outer(v, p.v)


@ab.model
def moved(p: P, x: float) -> tuple[Float32[Tensor, "4 3"], Float32[Tensor, "12"]]:
    a, v = p.a * x, p.v * x
    y = ops.transpose(ops.stack(v, v * v, a[1]))
    piece = ops.concat(v[1:3], v[2:4] * 2.0, ops.reshape(a, 12)[3:11])
    rows = ops.concat(a[0:2], a[1:2], axis=0)
    wide = ops.concat(a[:, 1:3], rows[:, 0:2], axis=1)
    return y * 2.0, piece * ops.reshape(wide, 12) + ops.reshape(rows * p.s, 12)


@ab.model
def along_rows(
    p: P, x: float
) -> tuple[Float32[Tensor, "3 4"], Float32[Tensor, "4"], Float32[Tensor, "3"]]:
    a, v = p.a * x, p.v * x
    y = ops.softmax(a) * ops.log_softmax(a + v) + ops.layer_norm(a, v, p.v)
    y = y + ops.rms_norm(a, p.v) + ops.rms_norm(v, v) * ops.softmax(v)
    z = ops.sum(a * a, axis=0) + ops.mean(a, axis=0) * ops.max(a, axis=0) + ops.logsumexp(a, axis=0)
    u = ops.sum(a, axis=-1) * ops.mean(a * a, axis=-1) + ops.logsumexp(a, axis=-1)
    u = u * ops.max(a, axis=-1) + ops.sum(v) * ops.mean(v) + ops.max(v) * ops.logsumexp(a)
    return y, z * ops.mean(a) + ops.sum(a) * ops.layer_norm(v, p.v, p.v), u


@ab.model
def attended(p: P, x: float) -> Float32[Tensor, "3 4"]:
    a = p.a * x
    return ops.attention(a, a * p.b, a + p.b, 2) + ops.attention(a, a @ p.w, p.b * x, 1)


@ab.model
def chosen(p: P, row: int) -> Float32[Tensor, "4"]:
    return ops.tanh(p.a[row] @ p.t[row]) + p.t[row] @ p.b[row]


@ab.model
def folded(p: P, x: float) -> Float32[Tensor, "4"]:
    made = ops.tanh(p.w @ p.v + p.a[1]) * p.s
    square = p.w @ p.w.T
    return (p.v * x) @ square + made * x


NUMBERS = [0.7, -1.3, 0.4]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    "model", [smooth, edged, powers, products, shared_vectors, moved, along_rows, attended, folded]
)
@pytest.mark.parametrize("fused", [True, False])
def test_operations(model: object, fused: bool) -> None:
    check(model, drawn(), NUMBERS, kernel_fusion=fused, grain_size_coarsening=fused, **VM)


@pytest.mark.usefixtures("interpreted_kernels")
def test_matrices_that_numbers_choose() -> None:
    check(chosen, drawn(), [1, -1, 1, 2], **VM)


def test_every_operation_has_a_derivative() -> None:
    # A lookup is no operation of a block: it is a row, or a view.
    assert set(DERIVATIVES) == set(OPS) - {"lookup", "dropout"}
