"""MV-RNN level by level: per-node matrices through batched products.

The vectors and matrices of all nodes lie in two tables that begin with the weights' own rows, so a
leaf costs nothing: its index, as a child, is that of its word. A phrase's matrix is the sum of two
products of stacked matrices, [n H, H] x [H, H]; nothing is concatenated. A root's matrix is not
computed, since only its vector is in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..shared.trees import assemble, flatten_tree
from .weights import Weights


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`trees.flatten_tree`)."""
    return [flatten_tree(tree) for tree in instances]


class Batched:
    """The composition of one level."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        self.trees, self.weights = trees, weights
        self.words, self.hidden = params.vectors.shape
        self.classes = len(params.matrices)
        self.vector = self.weights.linear("vector", params.w, params.b, "tanh")
        w_left, w_right = np.split(params.w_m, 2)
        self.left = self.weights.linear("left", w_left)
        self.right = self.weights.linear("right", w_right)
        self.vectors = weights.place.weight(params.vectors)
        self.matrices = weights.place.weight(params.matrices)

    def assemble(self) -> None:
        """Renumber all nodes (in each level, roots last); find children's rows in both tables."""
        forest = assemble(self.trees)
        leaves, self.bounds = forest.bounds[1], forest.bounds[1:]
        self.n_nodes, self.n_batches = forest.bounds[-1], len(self.bounds) - 1
        # Within a level, roots come last: their matrices are not computed.
        is_root = np.zeros(self.n_nodes, bool)
        is_root[forest.roots] = True
        heights = np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))
        order = np.lexsort((is_root[leaves:], heights))
        place = np.empty(self.n_nodes, np.int64)
        place[:leaves] = forest.words
        place[leaves + order] = self.words + np.arange(len(order))
        children = place[forest.children[order]]
        place[:leaves] = forest.words % self.classes
        place[leaves + order] = self.classes + np.arange(len(order))
        operands = place[forest.children[order]]
        roots_before = np.concatenate([[0], np.cumsum(is_root[leaves:][order])])
        ends = np.array(self.bounds) - leaves
        self.inner = (np.diff(ends) - np.diff(roots_before[ends])).tolist()
        place[:leaves] = forest.words
        place[leaves + order] = self.words + np.arange(len(order))
        self.children, self.operands, self.roots = self.weights.place.put(
            children, operands, place[forest.roots]
        )

    def compute(self) -> None:
        """Compute the vectors of the roots, [trees, H]."""
        leaves = self.bounds[0]
        self._reserve(self.bounds[-1] - leaves)
        vectors, matrices = self.vectors, self.matrices
        for first, end, inner in zip(self.bounds, self.bounds[1:], self.inner, strict=False):
            first, end = first - leaves, end - leaves
            operands = self.operands[first:end]
            a = matrices.index_select(0, operands[:, 0])
            b = matrices.index_select(0, operands[:, 1])
            at = self.words + first
            vectors[at : at + end - first] = self.cross(vectors, self.children[first:end], a, b)
            if inner:
                at = self.classes + first
                self.join(a[:inner], b[:inner], matrices[at : at + inner])
        self.found = vectors.index_select(0, self.roots)

    def cross(
        self, vectors: torch.Tensor, children: torch.Tensor, a: torch.Tensor, b: torch.Tensor
    ) -> torch.Tensor:
        """Return the vectors [n, H] of nodes whose children are the rows `children` [n, 2] of
        `vectors`, with the matrices `a` and `b` [n, H, H]: each child's vector is multiplied by
        the other's matrix."""
        n, hidden = len(children), self.hidden
        pair = vectors.index_select(0, children.view(-1)).view(n, 2, hidden)
        crossed = vectors.new_empty(n, 2, hidden)
        crossed[:, :1] = self.weights.product(torch.bmm, pair[:, :1], b)
        crossed[:, 1:] = self.weights.product(torch.bmm, pair[:, 1:], a)
        return self.vector(crossed.view(n, 2 * hidden))

    def join(self, a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
        """Write the nodes' own matrices to `out`; all are [n, H, H]."""
        hidden = self.hidden
        left, right = self.left(a.view(-1, hidden)), self.right(b.view(-1, hidden))
        torch.add(left, right, out=out.view(-1, hidden))

    def results(self) -> list[np.ndarray]:
        """Return the roots' vectors."""
        return list(self.weights.place.get(self.found))

    def _reserve(self, inner: int) -> None:
        """Make room for `inner` nodes after the weights' rows."""
        if len(self.matrices) < self.classes + inner:
            h, zeros = self.hidden, self.vectors.new_zeros
            self.vectors = torch.cat([self.vectors[: self.words], zeros(inner, h)])
            self.matrices = torch.cat([self.matrices[: self.classes], zeros(inner, h, h)])
