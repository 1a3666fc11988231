"""Loops that add up, or take the largest, become maps and trees; others stay."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.transform.count_batches import count_batches as batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

FOLDS = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    b: Tensor["H"]

@ab.data
class Tree:
    word: int
    children: "list[Tree]"

@ab.model
def total(p: P, xs: list[int]) -> Tensor["H"]:
    s = ops.zeros(p.b.shape[0])
    for x in xs:
        s = s + ops.tanh(p.emb[x] @ p.w)
    return s

@ab.model
def from_a_value(p: P, xs: list[int]) -> Tensor["H"]:
    s = p.b
    for i in range(len(xs) - 1, -1, -1):
        s = p.emb[xs[i]] + s + p.emb[i]
    return s

@ab.model
def largest(p: P, xs: list[int]) -> Tensor["H"]:
    m = p.b
    for x in xs:
        m = ops.maximum(m, p.emb[x])
    return m

@ab.model
def several(p: P, xs: list[int]) -> Tensor["H"]:
    s, t = ops.zeros(p.b.shape[0]), ops.zeros(p.b.shape[0])
    low = p.b
    n = 0
    kept = [p.b]
    for i, x in enumerate(xs):
        y = p.emb[x] @ p.w
        s = s + y
        t = t + y * p.b
        low = ops.minimum(low, y)
        kept.append(y)
        n += i
    return s + t + low + kept[-1] + ops.zeros(p.b.shape[0]) * n

@ab.model
def matrices(p: P, xs: list[int]) -> Tensor["H", "H"]:
    s = ops.zeros(p.b.shape[0], p.b.shape[0])
    for x in xs:
        s = s + ops.outer(p.emb[x], p.b)
    return s

@ab.model
def of_sums(p: P, xs: list[int]) -> Tensor["H"]:
    s = ops.zeros(p.b.shape[0])
    for i in range(len(xs)):
        t = ops.zeros(p.b.shape[0])
        for x in xs[:i]:
            t = t + p.emb[x]
        s = s + ops.tanh(t @ p.w)
    return s

@ab.model
def encode(p: P, t: Tree) -> Tensor["H"]:
    s = ops.zeros(p.b.shape[0])
    for child in t.children:
        s = s + encode(p, child)
    return ops.tanh(p.emb[t.word] + s @ p.w)

@ab.model
def tree(p: P, t: Tree) -> Tensor["H"]:
    return encode(p, t)

@ab.model
def recurrent(p: P, xs: list[int]) -> Tensor["H"]:
    h, s = p.b, ops.zeros(p.b.shape[0])
    for x in xs:
        h = ops.tanh(h @ p.w + p.emb[x])
        s = s + h
    return s

@ab.model
def read_between(p: P, xs: list[int]) -> Tensor["H"]:
    s, last = ops.zeros(p.b.shape[0]), p.b
    for x in xs:
        last = s
        s = s + p.emb[x]
    return s + last

@ab.model
def doubled(p: P, xs: list[int]) -> Tensor["H"]:
    s = p.b
    for x in xs:
        s = s + s
    return s

@ab.model
def of_both(p: P, xs: list[int]) -> Tensor["H"]:
    s = p.b
    for x in xs:
        s = ops.maximum(s + p.emb[x], p.b)
    return s

@ab.model
def until(p: P, xs: list[int]) -> Tensor["H"]:
    s = p.b
    for x in xs:
        if x == 3:
            break
        s = s + p.emb[x]
    return s

@ab.model
def wider(p: P, xs: list[int]) -> Tensor["H", "H"]:
    s = ops.outer(p.b, p.b)
    for x in xs:
        s = s + p.emb[x]
    return s

@ab.model
def twice(p: P, x: int) -> Tensor["H"]:
    s = p.b
    for i in range(2):
        s = s + p.emb[x + i]
    return s
"""
LENGTHS = (0, 1, 2, 8, 9, 64, 65)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    from tests.loading import load_text

    return load_text(
        "import acrobat as ab\nfrom acrobat import Tensor, ops\n" + FOLDS,
        tmp_path_factory.mktemp("folds"),
        "folds",
    )


def params(m: ModuleType, scale: float = 0.05) -> Any:
    rng = np.random.default_rng(1)
    shapes = {"emb": (90, 6), "w": (6, 6), "b": (6,)}
    drawn = {n: rng.standard_normal(s).astype(np.float32) * scale for n, s in shapes.items()}
    return m.P(**drawn)


def lists(*lengths: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 9, n).tolist() for n in lengths or LENGTHS]


@pytest.mark.parametrize(
    ("name", "n", "executor"),
    [
        ("total", 1 + 3, "aot"),
        ("total", 1 + 3, "vm"),
        ("from_a_value", 1 + 3, "vm"),
        ("largest", 3, "vm"),
        ("several", 7 + 1, "vm"),
        ("matrices", 1 + 3, "vm"),
        ("of_sums", 1 + 3 + 1 + 3, "vm"),
    ],
)
def test_a_fold_takes_the_logarithm_of_its_length(
    folds: ModuleType, name: str, n: int, executor: str
) -> None:
    model, p = getattr(folds, name), params(folds)
    on, _ = batches(model, p, lists(), executor=executor)
    assert on <= n
    off, _ = batches(model, p, lists(), executor=executor, inferred_parallelism=False)
    assert off >= 65


@pytest.mark.parametrize(
    "name", ["recurrent", "read_between", "doubled", "of_both", "until", "wider"]
)
def test_what_is_no_reduction_stays(folds: ModuleType, name: str) -> None:
    model, p, given = getattr(folds, name), params(folds), lists(0, 1, 5, 9)
    off = batches(model, p, given, executor="vm", inferred_parallelism=False)
    assert batches(model, p, given, executor="vm") == off


def test_two_iterations_stay(folds: ModuleType) -> None:
    p = params(folds)
    assert "while" not in ab.compile(folds.twice, p, options=ab.Options(executor="vm")).ir("typed")
    assert batches(folds.twice, p, [1, 2], executor="vm")[0] <= 2


def test_children_are_added_by_one_node(folds: ModuleType) -> None:
    p, rng = params(folds), np.random.default_rng(2)

    def tree(depth: int) -> Any:
        count = int(rng.integers(0, 9)) if depth else 0
        return folds.Tree(int(rng.integers(9)), [tree(depth - 1) for _ in range(count)])

    trees = [tree(3) for _ in range(4)]
    # At each of three depths the cell, which adds up its children; the leaves.
    assert batches(folds.tree, p, trees, executor="vm")[0] <= 3 + 1


def test_results_do_not_depend_on_the_mini_batch(folds: ModuleType) -> None:
    p = params(folds)
    fast = ab.compile(folds.total, p, options=ab.Options(executor="vm"))
    together = fast(lists())
    for alone, expected in zip(lists(), together, strict=True):
        (result,) = fast([alone])
        assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["total", "largest", "several"])
def test_what_is_not_finite_stays_so(folds: ModuleType, name: str, value: float) -> None:
    p = params(folds)
    p.emb[4] = value
    given = [[4], [1, 4, 2], [1] * 8 + [4], [4] * 64 + [1], [1, 2, 3]]
    with np.errstate(invalid="ignore"):
        batches(getattr(folds, name), p, given, executor="vm")


def test_a_thousand(folds: ModuleType) -> None:
    assert batches(folds.total, params(folds), lists(1000), executor="vm")[0] <= 1 + 4
