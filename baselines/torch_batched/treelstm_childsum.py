"""Child-sum TreeLSTM, all trees level by level: the inputs of all nodes are projected in one
product; a level then has a product over the children (forget gates) and one over the nodes, and
children are summed into their parents' rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..shared.rooted import flatten_rooted
from .weights import Weights


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`rooted.flatten_rooted`), int64."""
    return [flatten_rooted(tree).astype(np.int64) for tree in instances]


class Batched:
    """The cell of one level."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        self.trees, self.weights = trees, weights
        self.emb = weights.place.weight(params.emb)
        self.hidden = params.emb.shape[1]
        # Gates in the order i, o, u, f.
        self.input = self.weights.linear("input", params.w, params.b)
        self.total = self.weights.linear("total", params.u)
        self.forget = self.weights.linear("forget", params.u_f)

    def assemble(self) -> None:
        """Renumber all nodes by height, and sort the children by their parents."""
        sizes = np.array([len(t) for t in self.trees], np.int64)
        ends = np.cumsum(sizes)
        table = np.concatenate(self.trees)
        order = np.argsort(table[:, 2], kind="stable")
        number = np.empty(len(table), np.int64)
        number[order] = np.arange(len(table))
        self.bounds = np.concatenate([[0], np.cumsum(np.bincount(table[:, 2]))]).tolist()
        child = np.flatnonzero(table[:, 1] >= 0)
        parent = number[table[child, 1] + np.repeat(ends - sizes, sizes)[child]]
        by_parent = np.argsort(parent, kind="stable")
        parents = parent[by_parent]
        self.cuts = np.searchsorted(parents, self.bounds).tolist()
        self.words, self.roots, self.children, self.parents = self.weights.place.put(
            table[order, 0], number[ends - 1], number[child][by_parent], parents
        )
        self.n_nodes, self.n_batches = len(table), len(self.bounds) - 1

    def compute(self) -> None:
        """Compute (h, c) of the roots, each [trees, H]."""
        hidden = self.hidden
        x = self.project(self.emb, self.words)
        all_h, all_c = (x.new_empty(self.n_nodes, hidden) for _ in range(2))
        self.leaf_level(x, all_h, all_c, self.bounds[1])
        for k in range(1, len(self.bounds) - 1):
            cut = slice(self.cuts[k], self.cuts[k + 1])
            child, parent = self.children[cut], self.parents[cut]
            self.level(x, all_h, all_c, child, parent, self.bounds[k], self.bounds[k + 1])
        self.h, self.c = all_h.index_select(0, self.roots), all_c.index_select(0, self.roots)

    def project(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """Return the words' contributions to the gates, [words, 4 H]."""
        return self.input(emb.index_select(0, words))

    def leaf_level(
        self, x: torch.Tensor, all_h: torch.Tensor, all_c: torch.Tensor, end: int
    ) -> None:
        """Write the states of the leaves to the rows before `end` of the tables [nodes, H]."""
        i, o = torch.sigmoid(x[:end, : 2 * self.hidden]).chunk(2, 1)
        u = torch.tanh(x[:end, 2 * self.hidden : 3 * self.hidden])
        c = torch.mul(i, u, out=all_c[:end])
        torch.mul(o, torch.tanh(c), out=all_h[:end])

    def level(
        self,
        x: torch.Tensor,
        all_h: torch.Tensor,
        all_c: torch.Tensor,
        child: torch.Tensor,
        parent: torch.Tensor,
        first: int,
        end: int,
    ) -> None:
        """Write the states of nodes `first` to `end`; `child` and `parent` [edges] are rows."""
        hidden, row = self.hidden, parent - first
        h_child = all_h.index_select(0, child)
        kept = self.forget(h_child)
        kept.add_(x[first:end, 3 * hidden :].index_select(0, row)).sigmoid_()
        kept.mul_(all_c.index_select(0, child))
        total = x.new_zeros(end - first, hidden).index_add_(0, row, h_child)
        gates = self.total(total).add_(x[first:end, : 3 * hidden])
        i, o = torch.sigmoid(gates[:, : 2 * hidden]).chunk(2, 1)
        u = torch.tanh(gates[:, 2 * hidden :])
        c = all_c[first:end].zero_().index_add_(0, row, kept).addcmul_(i, u)
        torch.mul(o, torch.tanh(c), out=all_h[first:end])

    def results(self) -> list[tuple[np.ndarray, ...]]:
        """Return (h, c) of every root."""
        get = self.weights.place.get
        return list(zip(get(self.h), get(self.c), strict=True))
