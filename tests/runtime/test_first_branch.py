"""The first branch of a fork runs on the stack of the one that forks, until that has grown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.runtime.test_shared_decisions import EMB, PARAMS, WEIGHT, encode
from workloads.treelstm import Leaf, Node, Tree

DEEP = 3000


def chain(left: bool) -> tuple[Tree, np.ndarray]:
    """A tree that is one level deeper on one side each time, and what the model makes of it."""
    tree: Tree = Leaf(0)
    want = EMB[0]
    for i in range(DEEP):
        leaf = Leaf(i % 5)
        tree = Node(tree, leaf) if left else Node(leaf, tree)
        pair = (want, EMB[leaf.word]) if left else (EMB[leaf.word], want)
        h = np.tanh(np.concatenate(pair) @ WEIGHT)
        want = -h if h.sum() > 0 else h
    return tree, want


@pytest.fixture(scope="module")
def fast() -> ab.CompiledModel[Any, Any]:
    return ab.compile(encode, PARAMS, "cpu", ab.Options(threads=1))


@pytest.mark.parametrize("left", [True, False])
def test_deeper_than_one_stack(fast: ab.CompiledModel[Any, Any], left: bool) -> None:
    tree, want = chain(left)
    for got in fast([(tree, 1), (tree, 1)]):
        np.testing.assert_allclose(got, want, atol=1e-4)
    while isinstance(tree, Node):  # freeing nested objects is recursive in Python itself
        tree = tree.left if left else tree.right


def test_a_fault_in_either_branch(fast: ab.CompiledModel[Any, Any]) -> None:
    good = Node(Node(Leaf(1), Leaf(2)), Leaf(3))
    for bad in (Node(Leaf(9), good), Node(good, Leaf(9)), Node(Node(good, Leaf(9)), good)):
        with pytest.raises(ab.InstanceError, match=r"instances\[1\]: row 9 of emb does not exist"):
            fast([(good, 1), (bad, 1), (good, 1)])
        (got,) = fast([(good, 1)])
        assert got.shape == (8,)
