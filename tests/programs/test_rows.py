"""Rows, elements and items by negative numbers: those from the end, as Python and numpy have it,
and the same error for those that do not exist."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Options, Tensor, ops

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Vector = Float32[Tensor, "4"]
ROWS, ITEMS, MATRIX = 5, 3, 2


@ab.data
class Pick:
    kind: int
    i: int
    j: int
    items: list[int]
    vectors: list[Float32[Tensor, "4"]]
    m: Float32[Tensor, "2 4"]


@ab.params
class Weights:
    emb: Float32[Tensor, "5 4"]
    other: Float32[Tensor, "5 4"]
    cube: Float32[Tensor, "5 4 4"]
    w: Float32[Tensor, "4 4"]


@ab.model
def projected(p: Weights, word: int) -> Vector:
    return ops.tanh(p.emb[word] @ p.w)


@ab.model
def passed_on(p: Weights, row: Vector) -> Vector:
    return ops.tanh(row @ p.w)


@ab.model
def pick(p: Weights, x: Pick) -> tuple[Vector, list[int]]:
    i, j, h = x.i, x.j, p.w[0]
    rest: list[int] = []
    if x.kind == 0:
        h = p.other[i]
    if x.kind == 1:
        for _ in range(2):
            h = projected(p, i) + h
    if x.kind == 2:
        h = passed_on(p, p.other[i])
    if x.kind == 3:
        h = p.w[0] @ p.cube[i]
    if x.kind == 4:
        h = ops.one_hot(i, 5)[0:4] + ops.tanh(x.m[j])
    if x.kind == 5:
        h = ops.tanh(h) * x.m[j][i]
    if x.kind == 6:
        h = x.vectors[i] + p.w[-1] + h[-3:].shape[0] * ops.tanh(h)[-1]
    if x.kind == 7:
        rest = [x.items[i]]
    if x.kind == 8:
        rest = x.items[i:j] + x.items[i:] + x.items[:j] + x.items[i:-1]
    return h, rest


# The rows that there are, by kind, and what is said of others.
KINDS = {
    0: (ROWS, "row {} of other does not exist: it has rows 0 to 4"),
    1: (ROWS, "row {} of emb does not exist: it has rows 0 to 4"),
    2: (ROWS, "row {} of other does not exist: it has rows 0 to 4"),
    3: (ROWS, "row {} of cube does not exist: it has rows 0 to 4"),
    4: (ROWS, "row {} of eye(n=5) does not exist: it has rows 0 to 4"),
    5: (4, "row {} of a tensor of 4 rows does not exist"),
    6: (MATRIX, "list index {} is out of range: the list has 2 items"),
    7: (ITEMS, "list index {} is out of range: the list has 3 items"),
}


def made(kind: int, i: int, j: int = 0) -> Pick:
    rng = np.random.default_rng(1)
    vectors = [rng.normal(size=4).astype(np.float32) for _ in range(MATRIX)]
    return Pick(kind, i, j, [7, 8, 9], vectors, rng.normal(size=(2, 4)).astype(np.float32))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def weights() -> Weights:
    rng = np.random.default_rng(0)
    shapes = {"emb": (5, 4), "other": (5, 4), "cube": (5, 4, 4), "w": (4, 4)}
    return Weights(**{n: rng.normal(size=s) for n, s in shapes.items()})


@pytest.mark.parametrize(
    "options",
    [Options(), Options(executor="vm"), Options.all_off()],
    ids=["aot", "vm", "all off"],
)
def test_rows_are_numpy_s(weights: Weights, options: Options) -> None:
    fast = ab.compile(pick, weights, target="cpu", options=options)
    good = [made(k, i, j) for k, (n, _) in KINDS.items() for i in range(-n, n) for j in (0, 1, -2)]
    ends = (-(2**63), -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 2**63 - 1)
    good += [made(8, i, j) for i in ends for j in ends]
    for (got, items), instance in zip(fast(good), good, strict=True):
        want, wanted_items = pick(weights, instance)
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)
        assert items == wanted_items
    for kind, (n, message) in KINDS.items():
        for i in (n, -n - 1, 2**63 - 1, -(2**63)):
            with pytest.raises(ab.InstanceError) as caught:
                fast([good[0], made(kind, i)])
            assert str(caught.value) == f"instances[1]: {message.format(i)}"
            if kind != 4:
                with pytest.raises(IndexError):
                    pick(weights, made(kind, i))
    for j in (2, -3):
        with pytest.raises(ab.InstanceError) as caught:
            fast([made(5, 0, j)])
        assert str(caught.value) == f"instances[0]: row {j} of a tensor of 2 rows does not exist"
