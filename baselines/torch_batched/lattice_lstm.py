"""Lattice LSTM, the arcs of all lattices level by level: an arc is one level above the highest arc
that it reads.

The words' contributions to the gates are one product for all arcs, in which every word that occurs
is computed once. A level gathers the states that its arcs read, edge by edge, and sums by arc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .packing import distinct_words
from .weights import Weights


@dataclass(frozen=True, slots=True)
class Flat:
    """The arcs of one lattice: words [arcs], levels [arcs], counted from 1, and the edges as rows
    (reader, arc read), [edges, 2]; arcs are numbered from 1, and 0 is the beginning."""

    words: np.ndarray
    levels: np.ndarray
    edges: np.ndarray


def flatten(instances: Sequence[Any]) -> list[Flat]:
    """Flatten every lattice by itself."""
    return [_flat(lattice.arcs) for lattice in instances]


def _flat(arcs: Sequence[Any]) -> Flat:
    levels = [0]
    for arc in arcs:
        levels.append(1 + max(levels[k] for k in arc.before))
    edges = [(n, k) for n, arc in enumerate(arcs, 1) for k in arc.before]
    words = np.array([arc.word for arc in arcs], np.int64)
    return Flat(words, np.array(levels[1:], np.int64), np.array(edges, np.int64))


class Batched:
    """The cell of one level."""

    def __init__(self, params: Any, lattices: list[Flat], weights: Weights) -> None:
        self.lattices, self.weights = lattices, weights
        self.emb = weights.place.weight(params.emb)
        self.hidden = params.emb.shape[1]
        # Gates in the order i, o, u, f.
        self.input = weights.linear("input", params.w, params.b)
        self.total = weights.linear("total", params.u)
        self.forget = weights.linear("forget", params.u_f)

    def assemble(self) -> None:
        """Renumber all arcs by level, after row 0, the beginning of every lattice; sort the edges
        by their readers."""
        sizes = np.array([len(x.words) for x in self.lattices], np.int64)
        ends = np.cumsum(sizes)
        levels = np.concatenate([x.levels for x in self.lattices])
        order = np.argsort(levels, kind="stable")
        # Indexed by the arc's number in the mini-batch, from 1.
        row = np.zeros(len(levels) + 1, np.int64)
        row[order + 1] = np.arange(1, len(levels) + 1)
        moved = [
            np.where(x.edges > 0, x.edges + start, 0)
            for x, start in zip(self.lattices, ends - sizes, strict=True)
        ]
        edges = row[np.concatenate(moved)]
        edges = edges[np.argsort(edges[:, 0], kind="stable")]
        self.bounds = [1, *(1 + np.cumsum(np.bincount(levels)[1:])).tolist()]
        self.cuts = np.searchsorted(edges[:, 0], self.bounds).tolist()
        words, number = distinct_words(
            np.concatenate([x.words for x in self.lattices])[order], len(self.emb)
        )
        self.words, self.number, self.readers, self.read, self.last = self.weights.place.put(
            words, number, edges[:, 0].copy(), edges[:, 1].copy(), row[ends]
        )
        self.n_nodes, self.n_batches = len(levels), len(self.bounds) - 1

    def compute(self) -> None:
        """Compute (h, c) of the last arcs, each [lattices, H]."""
        hidden = self.hidden
        x = self.input(self.emb.index_select(0, self.words)).index_select(0, self.number)
        all_h, all_c = (x.new_zeros(self.n_nodes + 1, hidden) for _ in range(2))
        for k in range(len(self.bounds) - 1):
            cut = slice(self.cuts[k], self.cuts[k + 1])
            first, end = self.bounds[k], self.bounds[k + 1]
            readers = self.readers[cut] - first
            self.level(x[first - 1 : end - 1], all_h, all_c, self.read[cut], readers, first)
        self.h, self.c = all_h.index_select(0, self.last), all_c.index_select(0, self.last)

    def level(
        self,
        x: torch.Tensor,
        all_h: torch.Tensor,
        all_c: torch.Tensor,
        read: torch.Tensor,
        readers: torch.Tensor,
        first: int,
    ) -> None:
        """Write the states of a level's arcs into the rows from `first` on; `x` [n, 4 H] are the
        words' contributions. For each edge, `read` is the row read, `readers` the arc, from 0."""
        hidden, n = self.hidden, len(x)
        h_read = all_h.index_select(0, read)
        kept = self.forget(h_read)
        kept.add_(x[:, 3 * hidden :].index_select(0, readers)).sigmoid_()
        kept.mul_(all_c.index_select(0, read))
        total = x.new_zeros(n, hidden).index_add_(0, readers, h_read)
        gates = self.total(total).add_(x[:, : 3 * hidden])
        i, o = torch.sigmoid(gates[:, : 2 * hidden]).chunk(2, 1)
        u = torch.tanh(gates[:, 2 * hidden :])
        count = x.new_zeros(n).index_add_(0, readers, x.new_ones(len(readers)))
        c = all_c[first : first + n].index_add_(0, readers, kept).div_(count[:, None])
        torch.mul(o, torch.tanh(c.addcmul_(i, u)), out=all_h[first : first + n])

    def results(self) -> list[tuple[np.ndarray, ...]]:
        """Return (h, c) of every lattice."""
        get = self.weights.place.get
        return list(zip(get(self.h), get(self.c), strict=True))
