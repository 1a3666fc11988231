"""Binary TreeGRU, all trees of the mini-batch level by level.

A level has two products, one for the gates and one, of the reset states, for the candidate; every
word that occurs is computed as a leaf once. torch's tanh takes ten times as long as its sigmoid
here, so the candidate is a sigmoid too: tanh(x) = 2 sigmoid(2x) - 1, with the inner factor, exact
in floating point, folded into the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..shared.trees import assemble
from .packing import distinct_words
from .treelstm import flatten
from .weights import Weights

__all__ = ["Batched", "flatten"]


class Batched:
    """The cell of one level."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        hidden = params.emb.shape[1]
        self.trees, self.hidden, self.weights = trees, hidden, weights
        self.emb = weights.place.weight(params.emb)
        # A leaf's gates are z and u; u is doubled.
        double_u = np.repeat(np.array([1, 2], np.float32), hidden)
        linear = weights.linear
        self.leaf = linear("leaf", params.w_leaf * double_u, params.b_leaf * double_u, "sigmoid")
        self.gates = linear("gates", params.w, params.b, "sigmoid")
        self.candidate = linear("candidate", 2 * params.u, 2 * params.d, "sigmoid")

    def assemble(self) -> None:
        """Renumber all nodes by height, and find the words that occur."""
        forest = assemble(self.trees)
        self.bounds = forest.bounds
        self.n_nodes, self.n_batches = forest.bounds[-1], len(forest.bounds) - 1
        words, number = distinct_words(forest.words, len(self.emb))
        self.words, self.number, self.children, self.roots = self.weights.place.put(
            words, number, forest.children, forest.roots
        )

    def compute(self) -> None:
        """Compute h of the roots, [trees, H], in the order of the trees."""
        states = self.emb.new_empty(self.n_nodes, self.hidden)
        leaves = end = self.bounds[1]
        torch.index_select(self.leaf_level(self.words), 0, self.number, out=states[:end])
        children = self.children.view(-1)
        for last in self.bounds[2:]:
            first, end = end, last
            pairs = children[2 * (first - leaves) : 2 * (end - leaves)]
            states[first:end] = self.level(states, pairs)
        self.h = states.index_select(0, self.roots)

    def leaf_level(self, words: torch.Tensor) -> torch.Tensor:
        """Return the states of the leaves `words` [n]."""
        z, u = self.leaf(self.emb.index_select(0, words)).chunk(2, 1)
        return u.mul_(2).sub_(1).mul_(z)

    def level(self, states: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        """Return the states [n, H] of nodes with the children `pairs` [2 n]."""
        hidden = self.hidden
        both = states.index_select(0, pairs).view(-1, 2 * hidden)
        gates = self.gates(both)
        u = self.candidate(gates[:, hidden:].mul_(both)).mul_(2).sub_(1)
        mean = both[:, :hidden].add_(both[:, hidden:]).mul_(0.5)
        return torch.lerp(mean, u, gates[:, :hidden])

    def results(self) -> list[np.ndarray]:
        """Return h of every root."""
        return list(self.weights.place.get(self.h))
