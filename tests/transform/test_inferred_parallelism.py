"""What a function does not write as concurrent, but is: statements that do not need each other."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.selection import some
from tests.transform.count_batches import count_batches as batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

TREES = """
from typing import Optional

@ab.data
class Leaf:
    word: int

@ab.data
class Node:
    left: "Tree"
    right: "Tree"

Tree = Leaf | Node

@ab.data
class Item:
    value: Tree
    rest: Optional["Item"]

@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["2H", "H"]
    v: Tensor["H", 1]

@ab.model
def annotated(p: P, t: Tree) -> Tensor["H"]:
    match t:
        case Leaf(word):
            return p.emb[word]
        case Node(left, right):
            a, b = ab.parallel(annotated(p, left), annotated(p, right))
            return ops.tanh(ops.concat(a, b) @ p.w)

@ab.model
def plain(p: P, t: Tree) -> Tensor["H"]:
    match t:
        case Leaf(word):
            return p.emb[word]
        case Node(left, right):
            a = plain(p, left)
            b = plain(p, right)
            return ops.tanh(ops.concat(a, b) @ p.w)

@ab.model
def items(p: P, item: Item) -> Tensor["H"]:
    if item.rest is None:
        rest = ops.zeros(p.emb.shape[1])
    else:
        rest = items(p, item.rest)
    return ops.tanh(ops.concat(plain(p, item.value), rest) @ p.w)

@ab.model
def similar(p: P, s: Tree, t: Tree) -> Tensor[1]:
    a = plain(p, s)
    b = plain(p, t)
    return ops.tanh(ops.concat(a, b) @ p.w) @ p.v

@ab.model
def grown_annotated(p: P, h: Tensor["H"], level: int) -> int:
    if level > 4 or ops.item(h @ p.v) < 0.0:
        return 1
    a, b = ab.parallel(
        grown_annotated(p, ops.tanh(ops.concat(h, h) @ p.w), level + 1),
        grown_annotated(p, ops.tanh(ops.concat(h, p.emb[level]) @ p.w), level + 1),
    )
    return a + b

@ab.model
def grown(p: P, h: Tensor["H"], level: int) -> int:
    if level > 4 or ops.item(h @ p.v) < 0.0:
        return 1
    a = grown(p, ops.tanh(ops.concat(h, h) @ p.w), level + 1)
    b = grown(p, ops.tanh(ops.concat(h, p.emb[level]) @ p.w), level + 1)
    return a + b
"""


def params(m: ModuleType) -> Any:
    rng = np.random.default_rng(1)
    return m.P(
        emb=rng.standard_normal((9, 6)).astype(np.float32),
        w=rng.standard_normal((12, 6)).astype(np.float32),
        v=rng.standard_normal((6, 1)).astype(np.float32) + 1,
    )


def tree(m: ModuleType, rng: np.random.Generator, leaves: int) -> Any:
    if leaves == 1:
        return m.Leaf(int(rng.integers(9)))
    left = int(rng.integers(1, leaves))
    return m.Node(tree(m, rng, left), tree(m, rng, leaves - left))


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_siblings_need_no_annotation(load_model: Load, executor: str) -> None:
    m = load_model(TREES)
    rng = np.random.default_rng(0)
    p, trees = params(m), [tree(m, rng, n) for n in (1, 2, 5, 9, 14)]
    least = batches(m.annotated, p, trees, executor=executor)
    assert batches(m.plain, p, trees, executor=executor) == least
    off = batches(m.plain, p, trees, executor=executor, inferred_parallelism=False)
    assert off[0] > least[0]


@pytest.mark.parametrize("executor", some(["aot", "vm"], always=lambda executor: executor == "vm"))
def test_work_in_a_branch_runs_beside_what_does_not_need_it(
    load_model: Load, executor: str
) -> None:
    m = load_model(TREES)
    rng = np.random.default_rng(0)
    instances = []
    for n in (1, 4, 7):
        item = None
        for _ in range(n):
            item = m.Item(tree(m, rng, int(rng.integers(1, 9))), item)
        instances.append(item)
    on, off, exact = (
        batches(m.items, params(m), instances, executor=executor, **options)[0]
        for options in ({}, {"inferred_parallelism": False}, {"scheduler": "runtime_depth"})
    )
    # As good as depths that are computed from the finished graph.
    assert on == exact < off


@pytest.mark.parametrize("executor", some(["aot", "vm"], always=lambda executor: executor == "vm"))
def test_what_does_not_follow_needs_no_phase_of_its_own(load_model: Load, executor: str) -> None:
    m = load_model(TREES)
    rng = np.random.default_rng(0)
    p = params(m)
    pairs = [(tree(m, rng, a), tree(m, rng, b)) for a, b in ((3, 8), (8, 3), (1, 1), (5, 6))]
    deepest, _ = batches(m.plain, p, [t for pair in pairs for t in pair], executor=executor)
    # The two trees of an instance are in the same batches; comparing them is one more.
    assert batches(m.similar, p, pairs, executor=executor)[0] == deepest + 1
    off = batches(m.similar, p, pairs, executor=executor, inferred_parallelism=False)
    assert off[0] > deepest + 1


@pytest.mark.parametrize("executor", some(["aot", "vm"], always=lambda executor: executor == "vm"))
def test_calls_that_wait_wait_together(load_model: Load, executor: str) -> None:
    m = load_model(TREES)
    rng = np.random.default_rng(0)
    p = params(m)
    seeds = [(rng.standard_normal(6).astype(np.float32), 0) for _ in range(5)]
    least = batches(m.grown_annotated, p, seeds, executor=executor)
    assert batches(m.grown, p, seeds, executor=executor) == least
    off = batches(m.grown, p, seeds, executor=executor, inferred_parallelism=False)
    assert off[1] > least[1] > 2


LEAVING = """
@ab.params
class W:
    w: Tensor["H", "H"]
    b: Tensor["H"]

@ab.model
def by_break(p: W, x: Tensor["H"], n: int, flag: bool) -> tuple[Tensor["H"], Tensor["H"]]:
    h, k = p.b, p.b
    for i in range(2):
        for j in range(n):
            h = ops.tanh(h @ p.w + x)
        k = ops.tanh(k * x)
        if flag:
            break
    return ops.tanh(h + 1.0), k

@ab.model
def by_continue(p: W, x: Tensor["H"], n: int, flag: bool) -> tuple[Tensor["H"], Tensor["H"]]:
    h, k = p.b, p.b
    for i in range(2):
        for j in range(n):
            h = ops.tanh(h @ p.w + x)
        k = ops.tanh(k * x)
        if flag:
            continue
        h = h * 0.5
    return ops.tanh(h + 1.0), k

@ab.model
def by_return(p: W, x: Tensor["H"], n: int, flag: bool) -> tuple[Tensor["H"], Tensor["H"]]:
    h, k = leaves(p, x, n, flag)
    return ops.tanh(h + 1.0), k

@ab.model
def leaves(p: W, x: Tensor["H"], n: int, flag: bool) -> tuple[Tensor["H"], Tensor["H"]]:
    h, k = p.b, p.b
    if n > 7:
        h, k = leaves(p, x, n - 1, flag)
    for i in range(2):
        for j in range(n):
            h = ops.tanh(h @ p.w + x)
        k = ops.tanh(k * x)
        for j in range(i):
            if flag:
                return h, k
    return h - 1.0, k
"""


@pytest.mark.parametrize("phases", [True, False])
def test_what_leaves_a_region_comes_after_all_of_it(load_model: Load, phases: bool) -> None:
    m = load_model(LEAVING)
    rng = np.random.default_rng(0)
    weights = m.W(w=rng.normal(size=(4, 4)), b=rng.normal(size=4))
    vectors = rng.normal(size=(8, 4)).astype(np.float32)
    instances = [(x, n // 2, n % 2 == 0) for n, x in enumerate(vectors)]
    options = ab.Options(executor="vm", program_phases=phases)
    for model in (m.by_break, m.by_continue, m.by_return):
        got = ab.compile(model, weights, options=options)(instances)
        for instance, results in zip(instances, got, strict=True):
            for a, b in zip(results, model(weights, *instance), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
