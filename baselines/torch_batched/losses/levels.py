"""Binary trees by levels, from the roots down, for models that autograd differentiates.

The nodes of a level are in the order of their parents, so they are the children, in pairs, of the
inner nodes one level up. A level computes the states of its inner nodes; merged in order with the
states of its leaves, they are the operands of the level above without a further gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ...shared.trees import LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a forest: `leaves` and `inner` are the nodes of each level, as rows of the
    concatenated `table`, the roots' level first. `places` gives the position of each node of a
    level among its inner nodes followed by its leaves, or None if they are already in order because
    the level has only inner nodes or only leaves. `first` has the first row of each tree, followed
    by the number of rows."""

    table: np.ndarray
    first: np.ndarray
    leaves: list[np.ndarray]
    inner: list[np.ndarray]
    places: list[torch.Tensor | None]

    @property
    def of_leaves(self) -> np.ndarray:
        """All leaves, level by level, the roots' level first."""
        return np.concatenate(self.leaves)

    @property
    def counts(self) -> list[int]:
        """The number of leaves of each level."""
        return [len(some) for some in self.leaves]


def levels(trees: Sequence[np.ndarray]) -> Levels:
    """Return the levels of flat trees (`flatten_tree`)."""
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
    """Merge the states of a level's inner nodes and leaves into the order of its nodes."""
    return mine if place is None else torch.cat((mine, leaves)).index_select(0, place)
