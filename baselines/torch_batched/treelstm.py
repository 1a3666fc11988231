"""Binary TreeLSTM, all trees of the mini-batch level by level.

A level has one gather for the children's hidden states, one for their cells, and one matrix product
for all gates; point-wise work is done in place, and the results go straight to the rows that the
next gather reads. Leaves are one level, in which every word that occurs is computed once. torch's
tanh takes ten times as long as its sigmoid here, so everything is a sigmoid, with
tanh(x) = 2 sigmoid(2x) - 1 and every factor of two, exact in floating point, folded into the
weights:

    the matrix gives 2u in place of u, its rows expect h/2, and the state stored is (h/2, 2c):
    2c = 4 sigmoid(i) (sigmoid(2u) - 1/2) + sigmoid(f_l) 2c_l + sigmoid(f_r) 2c_r
    h/2 = sigmoid(o) (sigmoid(2c) - 1/2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..shared.trees import assemble, flatten_tree
from .packing import distinct_words
from .weights import Weights


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`trees.flatten_tree`)."""
    return [flatten_tree(tree) for tree in instances]


class Batched:
    """The cell with folded weights."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        hidden = params.emb.shape[1]
        self.trees, self.hidden, self.weights = trees, hidden, weights
        # A Python number would be converted to a tensor at every use.
        self.half = torch.tensor(0.5)
        # Gates in the order i, o, u (, f_l, f_r): u is doubled.
        double_u = np.ones(5 * hidden, np.float32)
        double_u[2 * hidden : 3 * hidden] = 2
        self.emb = weights.place.weight(params.emb)
        self.leaf = self.weights.linear(
            "leaf",
            params.w_leaf * double_u[: 3 * hidden],
            params.b_leaf * double_u[: -2 * hidden],
            "sigmoid",
        )
        self.inner = self.weights.linear(
            "inner", params.w * double_u * 2, params.b * double_u, "sigmoid"
        )
        self.states = self.emb.new_zeros(2, 0, hidden)
        self.words_h = self.words_c = self.emb.new_zeros(0, hidden)

    def assemble(self) -> None:
        """Renumber all nodes by height, and find the words that occur."""
        forest = assemble(self.trees)
        self.bounds = forest.bounds
        self.n_nodes, self.n_batches = forest.bounds[-1], len(forest.bounds) - 1
        words, number = distinct_words(forest.words, len(self.emb))
        # If nearly all words are distinct, copying the states costs more than it saves.
        self.repeats = len(words) <= 0.9 * len(forest.words)
        self.words, self.number, self.children, self.roots = self.weights.place.put(
            words if self.repeats else forest.words, number, forest.children, forest.roots
        )

    def compute(self) -> None:
        """Compute (h, c) of the roots, each [trees, H], in the order of the trees."""
        if self.states.shape[1] < self.n_nodes:
            self.states = self.emb.new_zeros(2, self.n_nodes, self.hidden)
        all_h, all_c = self.states
        leaves = end = self.bounds[1]
        self.leaves(all_h[:end], all_c[:end])
        children = self.children.view(-1)
        for last in self.bounds[2:]:
            first, end = end, last
            pairs = children[2 * (first - leaves) : 2 * (end - leaves)]
            self.level(all_h, all_c, pairs, first, end)
        self.h = all_h.index_select(0, self.roots).mul_(2.0)
        self.c = all_c.index_select(0, self.roots).mul_(0.5)

    def leaves(self, all_h: torch.Tensor, all_c: torch.Tensor) -> None:
        """Write the states of all leaves to `all_h` and `all_c`, [leaves, H] each."""
        if not self.repeats:
            self.leaf_level(all_h, all_c, self.words)
            return
        if len(self.words_h) < len(self.words):
            self.words_h, self.words_c = self.emb.new_zeros(2, len(self.words), self.hidden)
        self.leaf_level(self.words_h, self.words_c, self.words)
        torch.index_select(self.words_h, 0, self.number, out=all_h)
        torch.index_select(self.words_c, 0, self.number, out=all_c)

    def leaf_level(self, all_h: torch.Tensor, all_c: torch.Tensor, words: torch.Tensor) -> None:
        """Write the states of the leaves `words` [n] to the first rows of the tables [nodes, H]."""
        i, o, u = self.leaf(self.emb.index_select(0, words)).chunk(3, 1)
        h, c = all_h[: len(words)], all_c[: len(words)]
        torch.mul(u.sub_(self.half), i, out=c).mul_(4.0)
        torch.sigmoid(c, out=h).sub_(self.half).mul_(o)

    def level(
        self, all_h: torch.Tensor, all_c: torch.Tensor, pairs: torch.Tensor, first: int, end: int
    ) -> None:
        """Write the states of nodes with the children `pairs` [2 n] to rows `first` to `end`."""
        hidden = self.hidden
        x = torch.index_select(all_h, 0, pairs).view(-1, 2 * hidden)
        c_l, c_r = torch.index_select(all_c, 0, pairs).view(-1, 2 * hidden).chunk(2, 1)
        i, o, u, f_l, f_r = self.inner(x).chunk(5, 1)
        h, c = all_h[first:end], all_c[first:end]
        torch.mul(f_l, c_l, out=c).addcmul_(f_r, c_r).addcmul_(u.sub_(self.half), i, value=4.0)
        torch.sigmoid(c, out=h).sub_(self.half).mul_(o)

    def results(self) -> list[tuple[np.ndarray, ...]]:
        """Return (h, c) of every root."""
        get = self.weights.place.get
        return list(zip(get(self.h), get(self.c), strict=True))
