"""NaN, infinity, signed zeros and the ends of float32 in instances and weights: what numpy makes of
them, compiled code makes of them too."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Options, Tensor, ops
from tests.selection import some

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

INF = float("inf")
N = 19  # two vectors and a rest

SPECIAL = np.array([np.nan, INF, -INF, 0.0, -0.0, 1e-42, -1e-45, 3.4e38, -3.4e38, 1e-38])

Vector = Float32[Tensor, "19"]
Number = Float32[Tensor, ""]


@ab.data
class Extreme:
    a: Float32[Tensor, "19"]
    b: Float32[Tensor, "19"]
    m: Float32[Tensor, "3 19"]
    x: float


@ab.params
class Weights:
    w: Float32[Tensor, "19"]
    square: Float32[Tensor, "19 19"]
    small: Float32[Tensor, "3 3"]
    table: Float32[Tensor, "4 19"]


@ab.model
def choices(p: Weights, e: Extreme) -> tuple[Vector, Vector, Vector, Vector, Vector]:
    a, b = e.a, e.b
    return (
        ops.maximum(a, b),
        ops.minimum(a, b),
        ops.where(a, b, p.w),
        ops.less(a, b) + 2.0 * ops.greater(a, b),
        ops.relu(a),
    )


@ab.model
def reductions(
    p: Weights, e: Extreme
) -> tuple[Number, Float32[Tensor, "3"], Vector, Vector, Float32[Tensor, "3 19"], Number]:
    a, m = e.a, e.m
    return (
        ops.max(a),
        ops.max(m, axis=-1),
        ops.max(m, axis=0),
        ops.softmax(a),
        ops.softmax(m),
        ops.max(ops.minimum(a, p.table[1])),
    )


@ab.model
def constants(
    p: Weights, e: Extreme
) -> tuple[Vector, Vector, Vector, Vector, Vector, Vector, Vector]:
    a = e.a
    return (
        a * 0.0,
        0.0 / a,
        a / 0.0 + 1.0 / (-a),
        1.0 / ops.abs(a),
        ops.minimum(a + 1e39, INF),
        a / -0.0,
        p.w * e.x,
    )


@ab.model
def decisions(p: Weights, e: Extreme) -> tuple[int, int, int, int, float]:
    first, x = ops.item(e.a[0:1]), e.x
    order = 1 if first < x else 2 if first > x else 3 if first == x else 4
    other = 1 if not first >= x else 2 if first != x else 3
    return order, other, ops.argmax(e.a), ops.argmax(p.table[2] + e.b), max(first, x, 0.5)


@ab.model
def whole(
    p: Weights, e: Extreme
) -> tuple[Number, Vector, Vector, Vector, Vector, Vector, Vector, Number, Vector, Vector, Vector]:
    a, m = e.a, e.m
    return (
        ops.mean(a),
        ops.sum(m, axis=0),
        ops.linear(a, p.square, e.b),
        (m @ p.square)[1],
        ops.layer_norm(a, p.square[0], p.square[1]),
        ops.outer(a, e.b)[7],
        ops.transpose(ops.transpose(m) @ p.small)[2],
        a @ e.b,
        ops.attention(m, m, m, 1)[0],
        ops.concat(ops.stack(a, e.b), m, axis=0)[3],
        ops.reshape(m, 57)[19:38] * e.b,
    )


@ab.model
def elementary(p: Weights, e: Extreme) -> tuple[Vector, Vector, Vector, Vector, Vector, Vector]:
    a = e.a
    return ops.exp(a), ops.log(a), ops.sqrt(a), ops.tanh(a), ops.sigmoid(a), ops.gelu(a)


def extremes(special: np.ndarray = SPECIAL) -> list[Extreme]:
    """Special values in every place of a vector, in all pairs, alone and together."""
    rng = np.random.default_rng(3)
    found = []
    for i in range(40):
        a, b, m = (rng.normal(size=s).astype(np.float32) for s in (N, N, (3, N)))
        for array in (a, b, m.reshape(-1)):
            array[rng.integers(0, array.size, i % 4)] = rng.choice(special, i % 4)
        x = [0.0, float("nan"), INF, -INF, float(a[0])][i % 5]
        found.append(Extreme(a, b, m, x))
    pairs = np.array(np.meshgrid(special, special), np.float32).reshape(2, -1)
    for start in range(0, pairs.shape[1] - N, N):
        a, b = pairs[:, start : start + N]
        found.append(Extreme(a, b, np.stack([a, b, a]), 0.0))
    for value in special:
        row = np.full(N, value, np.float32)
        found.append(Extreme(row, -row, np.stack([row, row, -row]), 1.0))
    return found


MODELS = (choices, reductions, constants, decisions, whole, elementary)
WAYS = {
    "aot": Options(threads=1),
    "vm": Options(executor="vm"),
    "all off": Options.all_off(threads=1),
}


@pytest.mark.parametrize(
    ("model", "way"),
    some(
        itertools.product(MODELS, WAYS),
        always=lambda model, way: way != "all off" or model in (reductions, elementary),
    ),
    ids=str,
)
def test_compiled_is_numpy(model: ab.lang.model.Model[..., object], way: str) -> None:
    table = np.zeros((4, N), np.float32)
    table[1, 3], table[2, 5] = np.nan, -INF
    p = Weights(w=np.resize(SPECIAL, N), table=table, square=np.eye(N), small=np.ones((3, 3)))
    # Where numbers are added, what overflows depends on their order.
    instances = extremes(SPECIAL[abs(SPECIAL) != 3.4e38] if model is whole else SPECIAL)
    tolerances = {whole: 1e-5, elementary: 3e-7}
    results = ab.compile(model, p, target="cpu", options=WAYS[way])(instances)
    atol = tolerances.get(model, 2e-45)  # type: ignore[arg-type]
    with np.errstate(all="ignore"):
        for number, (got, e) in enumerate(zip(results, instances, strict=True)):
            want = model(p, e)
            for part, (g, w) in enumerate(zip(got, want, strict=True)):  # type: ignore[call-overload]
                where = f"instance {number}, result {part}"
                np.testing.assert_allclose(g, w, rtol=3e-6, atol=atol, err_msg=where)
                if isinstance(w, int):
                    assert g == w
