"""Flat trees and forests: the same trees, renumbered."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baselines.shared.trees import assemble, flatten_tree
from workloads.treelstm import Leaf, Node

trees = st.recursive(
    st.builds(Leaf, st.integers(0, 9)), lambda t: st.builds(Node, t, t), max_leaves=12
)


def height(tree: Any) -> int:
    return 1 + max(height(tree.left), height(tree.right)) if isinstance(tree, Node) else 0


# On a busy machine a draw may take longer than the check allows.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(trees)
def test_flat_tree_is_the_tree(tree: Any) -> None:
    flat = flatten_tree(tree)
    assert flat.dtype == np.int32

    def rebuild(row: int) -> Any:
        left, right, word, _ = map(int, flat[row])
        return Leaf(word) if left < 0 else Node(rebuild(left), rebuild(right))

    assert rebuild(len(flat) - 1) == tree
    assert flat[-1, 3] == height(tree)


@given(st.lists(trees, min_size=1, max_size=6))
def test_forest_is_the_trees(batch: list[Any]) -> None:
    forest = assemble([flatten_tree(tree) for tree in batch])
    leaves = forest.bounds[1]

    def rebuild(node: int) -> Any:
        if node < leaves:
            return Leaf(int(forest.words[node]))
        left, right = forest.children[node - leaves].tolist()
        # Children lie in earlier levels: their results are there when the node's level runs.
        level_start = max(b for b in forest.bounds if b <= node)
        assert left < level_start
        assert right < level_start
        return Node(rebuild(left), rebuild(right))

    assert [rebuild(root) for root in forest.roots.tolist()] == batch
    assert len(forest.bounds) == max(map(height, batch)) + 2
    assert forest.bounds[-1] == leaves + len(forest.children)
    assert all(a < b for a, b in zip(forest.bounds, forest.bounds[1:], strict=False))


def test_trees_deeper_than_the_stack_and_than_16_bits() -> None:
    tree: Any = Leaf(0)
    for _ in range(70_000):
        tree = Node(tree, Leaf(1))
    forest = assemble([flatten_tree(tree), flatten_tree(Leaf(2))])
    assert len(forest.bounds) == 70_002
    assert forest.words[forest.roots[1]] == 2
    assert forest.roots[0] == forest.bounds[-1] - 1
