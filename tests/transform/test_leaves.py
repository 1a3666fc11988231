"""Where a recursion sums over its children, leaves have a static block of their own."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.pipeline import run_pipeline
from tests.transform.count_batches import count_batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

MODELS = """
@ab.data
class Tree:
    word: int
    children: "list[Tree]"

@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    b: Tensor["H"]

@ab.model
def encode(p: P, t: Tree) -> Tensor["H"]:
    s = ops.zeros(p.b.shape[0])
    for child in t.children:
        s = s + encode(p, child)
    return ops.tanh(p.emb[t.word] + s @ p.w)

@ab.model
def sums(p: P, t: Tree) -> Tensor["H"]:
    return encode(p, t)

@ab.model
def pooled(p: P, t: Tree) -> tuple[Tensor["H"], Tensor["H"]]:
    s, m = p.b, p.b
    for child in t.children:
        h, c = pooled(p, child)
        s = s + ops.tanh(h @ p.w)
        m = ops.maximum(m, c)
    h = ops.tanh(p.emb[t.word] + s @ p.w)
    return h, m * h

@ab.model
def maxima(p: P, t: Tree) -> Tensor["H"]:
    h, c = pooled(p, t)
    return h + c

@ab.model
def counted(p: P, t: Tree) -> tuple[Tensor["H"], int]:
    s, n = ops.zeros(p.b.shape[0]), 1
    for child in t.children:
        h, below = counted(p, child)
        s = s + h
        n += below
    return ops.tanh(p.emb[t.word] + s @ p.w) * n, n

@ab.model
def sizes(p: P, t: Tree) -> Tensor["H"]:
    h, _ = counted(p, t)
    return h

@ab.model
def of_a_list(p: P, words: list[int]) -> Tensor["H"]:
    s = ops.zeros(p.b.shape[0])
    for word in words:
        s = s + p.emb[word]
    return ops.tanh(s @ p.w)
"""


def params(m: ModuleType) -> Any:
    rng = np.random.default_rng(1)
    shapes = {"emb": (9, 6), "w": (6, 6), "b": (6,)}
    return m.P(**{n: rng.normal(0, 0.4, s).astype(np.float32) for n, s in shapes.items()})


def trees(m: ModuleType, n: int = 5) -> list[Any]:
    rng = np.random.default_rng(2)

    def tree(depth: int) -> Any:
        count = int(rng.integers(0, 12)) if depth else 0
        return m.Tree(int(rng.integers(9)), [tree(depth - 1) for _ in range(count)])

    return [m.Tree(3, []), *(tree(3) for _ in range(n))]


def blocks(m: ModuleType, name: str) -> list[Any]:
    return list(run_pipeline(getattr(m, name), params(m), ab.Options()).module.blocks)


@pytest.mark.parametrize("name", ["sums", "maxima", "sizes"])
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_results_are_those_of_plain_python(name: str, executor: str, load_model: Load) -> None:
    m = load_model(MODELS)
    count_batches(getattr(m, name), params(m), trees(m), executor=executor)


def test_what_follows_an_empty_sum_needs_no_product_of_its_own(load_model: Load) -> None:
    m = load_model(MODELS)
    found = blocks(m, "sums")
    products = [b for b in found if any(o.op.name == "matmul" for o in b.ops)]
    leaf = [b for b in found if b not in products and any(o.op.name == "tanh" for o in b.ops)]
    assert len(products) == len(leaf) == 1
    assert [s.param for s in leaf[0].shared] == ["matmul(zeros(shape=(6,)), w)"]


def test_leaves_take_no_more_batches(load_model: Load) -> None:
    m = load_model(MODELS)
    rng = np.random.default_rng(3)

    def tree(depth: int) -> Any:
        count = int(rng.integers(1, 9)) if depth else 0
        return m.Tree(int(rng.integers(9)), [tree(depth - 1) for _ in range(count)])

    # One for the leaves, and one for each depth above them.
    given = [tree(depth) for depth in (0, 1, 2, 3, 3)]
    assert count_batches(m.sums, params(m), given, executor="vm")[0] == 1 + 3


def test_a_list_that_is_no_recursion_is_summed_by_one_block(load_model: Load) -> None:
    m = load_model(MODELS)
    fast = ab.compile(m.of_a_list, params(m), options=ab.Options(executor="vm"))
    fast([[], [1], [2, 3]])
    assert fast.last_profile.n_batches == 1


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_reach_the_leaves(value: float, load_model: Load) -> None:
    m = load_model(MODELS)
    p = params(m)
    p.w[2, 3] = value
    with np.errstate(invalid="ignore"):
        count_batches(m.sums, p, trees(m), executor="vm")


def test_changed_weights_reach_the_leaves(load_model: Load) -> None:
    m = load_model(MODELS)
    p = params(m)
    fast = ab.compile(m.maxima, p)
    given = trees(m)
    fast(given)
    p.w[:] *= 2
    fast.reload_weights()
    for got, tree in zip(fast(given), given, strict=True):
        np.testing.assert_allclose(got, m.maxima(p, tree), atol=1e-5)


def test_gradients_reach_the_weights_of_leaves(load_model: Load) -> None:
    m = load_model(
        MODELS
        + """
@ab.model
def loss(p: P, t: Tree) -> Tensor[""]:
    return ops.sum(maxima(p, t))
"""
    )
    p, given = params(m), trees(m, 3)
    _, got = ab.gradients(m.loss, p)(given)
    for name in ("w", "b"):
        array, found = getattr(p, name), np.asarray(getattr(got, name))
        for at in ((0,) * array.ndim, (2,) * array.ndim):
            step, before = 1e-2, array[at]
            losses = []
            for value in (before + step, before - step):
                array[at] = value
                losses.append(sum(float(m.loss(p, t)) for t in given))
            array[at] = before
            np.testing.assert_allclose(found[at], (losses[0] - losses[1]) / (2 * step), rtol=2e-2)
