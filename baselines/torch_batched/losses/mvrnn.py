"""Loss of every tree's class, by its root's vector: all trees level by level, from the deepest up.

Levels are as in `treelstm`. Each child's vector is multiplied by the other's matrix, all in one
`bmm`; the roots' matrices are not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding

from ...shared.trees import WORD, flatten_tree
from .levels import joined, levels

TURNED = ()
# For each tree: `flatten_tree`'s table, and its class.
Form = list[tuple[np.ndarray, int]]


def flatten(instances: Sequence[Any]) -> Form:
    """Return flat trees and labels."""
    return [(flatten_tree(given.tree), given.label) for given in instances]


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some trees by number."""
    return [form[i] for i in which]


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p, self.form = p, form

    def assemble(self) -> None:
        """Find the levels."""
        self.levels = levels([tree for tree, _ in self.form])
        words = self.levels.table[self.levels.of_leaves, WORD].astype(np.int64)
        self.words = torch.from_numpy(words)
        self.labels = torch.tensor([label for _, label in self.form])
        self.n_nodes, self.n_batches = len(self.levels.table), len(self.levels.leaves)

    def compute(self) -> torch.Tensor:
        """Compute the losses, [trees]."""
        p = self.p.inner
        kinds, hidden, _ = p.matrices.shape
        counts = self.levels.counts
        vectors = embedding(self.words, p.vectors, sparse=True).split(counts)
        # Not sparse: there are few, and autograd's sparse gradients are of rows only.
        matrices = p.matrices.index_select(0, self.words % kinds).split(counts)
        of_leaves = zip(vectors, matrices, strict=True)
        from_roots = list(zip(of_leaves, self.levels.inner, self.levels.places, strict=True))
        vector, matrix = from_roots[-1][0]
        for level in reversed(range(len(from_roots))):
            (more_vectors, more_matrices), inner, place = from_roots[level]
            if not len(inner):
                continue  # the deepest
            pairs = matrix.reshape(-1, 2, hidden, hidden)
            # Each child's vector times the matrix of the other.
            crossed = torch.matmul(vector.reshape(-1, 2, 1, hidden), pairs.flip(1))
            vector = torch.tanh(torch.addmm(p.b, crossed.reshape(-1, 2 * hidden), p.w))
            vector = joined(vector, more_vectors, place)
            if level:
                beside = pairs.transpose(1, 2).reshape(-1, 2 * hidden)
                matrix = torch.mm(beside, p.w_m).view(-1, hidden, hidden)
                matrix = joined(matrix, more_matrices, place)
        logits = torch.addmm(self.p.b_out, vector, self.p.w_out)
        return cross_entropy(logits, self.labels, reduction="none")
