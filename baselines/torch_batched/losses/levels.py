"""Binary trees by levels from the roots down, for models that autograd differentiates.

With the nodes of a level in the order of their parents, its nodes are the children of the inner
nodes above it, two by two. What a level computes is the states of its inner nodes; with those of
its leaves between them they are the operands of the level above as they lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ...shared.trees import LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class Levels:
    """`leaves` and `inner` are the nodes of each level, as rows of the joined table, the roots'
    level first. `places` says where each node of a level lies among its inner nodes followed by its
    leaves; None: as they are, for there are only inner nodes, or only leaves. `first` is the first
    row of each tree, and the number of rows last."""

    table: np.ndarray
    first: np.ndarray
    leaves: list[np.ndarray]
    inner: list[np.ndarray]
    places: list[torch.Tensor | None]

    @property
    def of_leaves(self) -> np.ndarray:
        """All leaves, level by level."""
        return np.concatenate(self.leaves)

    @property
    def counts(self) -> list[int]:
        """How many leaves each level has."""
        return [len(some) for some in self.leaves]


def levels(trees: Sequence[np.ndarray]) -> Levels:
    """Of flat trees (`flatten_tree`)."""
    sizes = np.array([len(tree) for tree in trees])
    ends = np.cumsum(sizes)
    table = np.concatenate(trees)
    is_inner = table[:, LEFT] >= 0
    base = np.repeat(ends - sizes, sizes)
    left, right = table[:, LEFT] + base, table[:, RIGHT] + base
    found = Levels(table, np.concatenate(([0], ends)), [], [], [])
    level = ends - 1
    while len(level):
        inside = is_inner[level]
        mine, leaves = level[inside], level[~inside]
        place = np.where(inside, np.cumsum(inside) - 1, len(mine) + np.cumsum(~inside) - 1)
        found.leaves.append(leaves)
        found.inner.append(mine)
        found.places.append(torch.from_numpy(place) if len(mine) and len(leaves) else None)
        level = np.stack((left[mine], right[mine]), 1).ravel()
    return found


def joined(mine: torch.Tensor, leaves: torch.Tensor, place: torch.Tensor | None) -> torch.Tensor:
    """The states of a level's nodes in their order, from those of its inner nodes and leaves."""
    return mine if place is None else torch.cat((mine, leaves)).index_select(0, place)
