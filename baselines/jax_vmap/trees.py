"""Binary trees as padded arrays: leaves first, then inner nodes in post-order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..jax_shared.padding import bucket, lengths_of, stack_padded
from ..shared.trees import LEFT, RIGHT, WORD, flatten_tree


@dataclass(frozen=True, slots=True)
class FlatTree:
    """A binary tree: `words` [leaves] from left to right, and `children` [inner, 2] of the inner
    nodes in post-order, where leaf k is k and inner node k is -1 - k; both int32."""

    words: np.ndarray
    children: np.ndarray


def flatten(instances: Sequence[Any]) -> list[FlatTree]:
    """Flatten every tree by itself."""
    return [_flat(flatten_tree(tree)) for tree in instances]


def _flat(rows: np.ndarray) -> FlatTree:
    leaf = rows[:, LEFT] < 0
    # Leaves are numbered upwards from 0, inner nodes downwards from -1.
    number = np.where(leaf, np.cumsum(leaf) - 1, np.cumsum(leaf.astype(np.int64) - 1))
    children = number.astype(np.int32)[rows[~leaf][:, [LEFT, RIGHT]]]
    return FlatTree(rows[leaf, WORD], children)


def pad(trees: list[FlatTree]) -> tuple[np.ndarray, ...]:
    """Return words [batch, leaves], children [batch, inner, 2] and root [batch], the last two as
    rows of a table of `leaves` leaves and `inner` inner nodes; padding has the children 0 and 0."""
    most = max(len(tree.words) for tree in trees)
    leaves, inner = bucket(most), bucket(most - 1)
    children = stack_padded([tree.children for tree in trees], inner)
    last = lengths_of([tree.children for tree in trees])
    return (
        stack_padded([tree.words for tree in trees], leaves),
        np.where(children < 0, leaves - 1 - children, children),
        np.where(last > 0, leaves - 1 + last, 0),
    )
