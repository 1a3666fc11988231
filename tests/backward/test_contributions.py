"""What the uses of a value add to its gradient, in compiled programs: none, one, several, and those
of parts of it; and what is read where it lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.lang.params import weights
from tests.backward.against_tape import check, compiled, taped

pytestmark = pytest.mark.usefixtures("small_kernels")


@ab.params
class P:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]
    u: Float32[Tensor, "H H"]


@ab.model
def used(
    p: P, first: int, kinds: list[int]
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"], Float32[Tensor, ""]]:
    """Of each state the whole, the beginning and the middle are used, or not."""
    h = p.emb[first]
    c = ops.tanh(h @ p.u)
    total = ops.sum(ops.zeros(1))
    for kind in kinds:
        c = c * 0.5 + ops.tanh(h @ p.u)
        h = ops.tanh(h @ p.w + c)
        if kind == 1:
            total = total + ops.sum(h * h)
        if kind == 2:
            total = total + ops.sum(h[:20] * 2.0)
        if kind == 3:
            total = total + ops.sum(h[8:24] * h[0:16])
            total = total + ops.sum(h * 3.0)
        if kind == 4:
            h = ops.concat(h[16:], h[:16])
        if kind == 5:
            h = h * h + p.emb[first]
    return h, h, total


@ab.model
def unread(p: P, first: int, count: int) -> Float32[Tensor, ""]:
    """The last c has no use, and of the others nothing but the next one."""
    h, c = p.emb[first], p.emb[first]
    for _ in range(count):
        h, c = ops.tanh(h @ p.w + c), ops.tanh(c @ p.u)
    return ops.sum(h)


@ab.model
def both_ways(p: P, words: list[int]) -> list[Float32[Tensor, "H"]]:
    """Two chains that do not read each other: their batches run at the same time."""
    forward, backward = [ops.zeros(p.w.shape[0])], [ops.zeros(p.w.shape[0])]
    for word in words:
        forward.append(ops.tanh(p.emb[word] + forward[-1] @ p.w))
    for word in reversed(words):
        backward.append(ops.tanh(p.emb[word] + backward[-1] @ p.u))
    return [a * b for a, b in zip(forward, backward)]  # noqa: B905


@ab.model
def matrices(p: P, x: Float32[Tensor, "64 H"], count: int) -> Float32[Tensor, "64 H"]:
    """The rows of a node are read where they are."""
    for row in range(count):
        x = ops.tanh(x @ p.w + (x * 0.5) @ p.u + p.emb[row])
    return x


def drawn(width: int) -> P:
    rng = np.random.default_rng(4)
    return P(
        emb=rng.normal(size=(7, width)),
        w=rng.normal(size=(width, width)) / width**0.5,
        u=rng.normal(size=(width, width)) / width**0.5,
    )


def instances(model: Any, width: int) -> list[Any]:
    rng = np.random.default_rng(5)

    def ints(most: int, n: int) -> list[int]:
        found: list[int] = rng.integers(most, size=n).tolist()
        return found

    if model is used:
        return [(n % 7, ints(6, n % 5)) for n in range(40)]
    if model is unread:
        return [(n % 7, n % 4) for n in range(20)]
    if model is both_ways:
        return [ints(7, n % 6) for n in range(60)]
    return [(rng.normal(size=(64, width)).astype(np.float32), n % 4) for n in range(6)]


@pytest.mark.slow
@pytest.mark.parametrize("width", [40])
@pytest.mark.parametrize("model", [used, unread, both_ways, matrices])
def test_as_the_tape_whatever_the_threads(model: Any, width: int) -> None:
    params, given = drawn(width), instances(model, width)
    check(model, params, given, threads=1)
    found = [compiled(model, params, given, threads=n) for n in (1, 2, 3)]
    for path, gradient in found[0].items():
        assert gradient.any(), path
        for other in found[1:]:
            assert other[path].tobytes() == gradient.tobytes(), path


@pytest.mark.slow
@pytest.mark.parametrize("option", ["runtime_depth", "lookahead"])
def test_other_orders(option: Any) -> None:
    check(used, drawn(32), instances(used, 32), threads=2, scheduler=option)


@pytest.mark.slow
def test_rows_of_changed_weights() -> None:
    """A step takes the rows that it reads, and weights in the kernels' order, anew."""

    @ab.model
    def loss(p: P, first: int, kinds: list[int]) -> Float32[Tensor, ""]:
        h, _, total = used(p, first, kinds)
        return total + ops.sum(h * p.emb[0])

    params, given = drawn(32), instances(used, 32)
    step = ab.gradients(loss, params, options=ab.Options(threads=2))
    for n in range(3):
        for weight in weights(params).values():
            weight *= np.float32(1.0 - 0.1 * n)
        some = given[n :: n + 1]
        losses, grads = step(some)
        want = [np.asarray(loss(params, *instance)).item() for instance in some]
        np.testing.assert_allclose(losses, want, rtol=1e-4, atol=1e-5)
        right = ab.gradients(loss, params, options=ab.Options(executor="vm"))(some)[1]
        for path, gradient in weights(params).items():
            got, close = np.asarray(getattr(grads, path)), np.asarray(getattr(right, path))
            assert got.shape == gradient.shape
            np.testing.assert_allclose(got, close, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_one_instance_that_nothing_is_read_of() -> None:
    got = compiled(unread, drawn(32), [(3, 0)], threads=1)
    want = taped(unread, drawn(32), [(3, 0)])
    assert np.array_equal(got["emb"], want["emb"]) and not got["w"].any()
