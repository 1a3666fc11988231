"""Results that a call does not use are not computed where that saves a contraction."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

PAIRS = """
@ab.data
class Leaf:
    x: Tensor["H"]

@ab.data
class Node:
    left: "Tree"
    right: "Tree"

Tree = Leaf | Node

@ab.params
class P:
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]

@ab.model
def encode(p: P, t: Tree) -> tuple[Tensor["H"], Tensor["H"]]:
    match t:
        case Leaf(x):
            return x, x
        case Node(left, right):
            l, r = ab.parallel(encode(p, left), encode(p, right))
            a, b = l
            c, d = r
            h = ops.tanh((a + d) @ p.w)
            return h, ops.tanh((b * c + h) @ p.u)

@ab.model
def first(p: P, t: Tree) -> Tensor["H"]:
    a, _ = encode(p, t)
    return a

@ab.model
def gates(p: P, t: Tree) -> tuple[Tensor["H"], Tensor["H"]]:
    match t:
        case Leaf(x):
            return x, x
        case Node(left, right):
            l, r = ab.parallel(gates(p, left), gates(p, right))
            a, b = l
            c, d = r
            h = (a + c) @ p.w
            return ops.tanh(h), ops.sigmoid(h) * (b + d)

@ab.model
def first_of_gates(p: P, t: Tree) -> Tensor["H"]:
    a, _ = gates(p, t)
    return a
"""
H = 5


def load(load_model: Load) -> tuple[ModuleType, object]:
    m = load_model(PAIRS)
    rng = np.random.default_rng(0)
    w, u = rng.standard_normal((2, H, H)).astype(np.float32)
    return m, m.P(w=w, u=u)


def tree(m: ModuleType, depth: int, rng: np.random.Generator) -> object:
    if depth == 0:
        return m.Leaf(rng.standard_normal(H).astype(np.float32))
    return m.Node(tree(m, depth - 1, rng), tree(m, int(rng.integers(depth)), rng))


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("phases", [True, False])
def test_the_root_computes_what_is_asked_for(load_model: Load, executor: str, phases: bool) -> None:
    m, params = load(load_model)
    rng = np.random.default_rng(1)
    trees = [tree(m, depth, rng) for depth in (0, 3, 1, 5, 2)]
    fast = ab.compile(m.first, params, options=ab.Options(executor=executor, program_phases=phases))
    for got, t in zip(fast(trees), trees, strict=True):
        np.testing.assert_allclose(got, m.first(params, t), atol=1e-5)
    root, below = fast.compilation.module.blocks
    assert len(root.outputs) == 1 and len(below.outputs) == 2
    if phases:
        # Below the roots four depths, and then all roots.
        assert fast.last_profile.n_batches == 4 + 1


def test_no_copy_where_no_contraction_is_saved(load_model: Load) -> None:
    m, params = load(load_model)
    fast = ab.compile(m.first_of_gates, params)
    (block,) = fast.compilation.module.blocks
    assert len(block.outputs) == 2
