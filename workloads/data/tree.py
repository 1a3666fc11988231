"""Binary trees over words, independent of any model, as readers and generators produce them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class FlatTree:
    """A binary tree in post-order: children before parents, the root last.

    `left[i]` and `right[i]` are the positions of node i's children, both -1 for a leaf; `word[i]`
    is a leaf's word id (-1 for an inner node). All are int32 of shape [nodes]. `label[i]` is the
    node's label in the treebank (-1 if that is not a number); None for a tree without labels.
    """

    left: np.ndarray
    right: np.ndarray
    word: np.ndarray
    label: np.ndarray | None = None

    @property
    def n_leaves(self) -> int:
        """The number of words."""
        return int((self.left < 0).sum())

    def heights(self) -> np.ndarray:
        """The height of every node, int32: 0 for a leaf, else 1 + that of the higher child."""
        height = np.zeros(len(self.left), np.int32)
        for i in np.flatnonzero(self.left >= 0):
            height[i] = 1 + max(height[self.left[i]], height[self.right[i]])
        return height
