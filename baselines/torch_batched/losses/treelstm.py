"""Loss of the sentiment at every node: all trees of the mini-batch level by level, from the deepest
up.

Leaves are computed together beforehand. A level is one product, whose operands are the states of
the level below in their order (levels.py). All nodes are classified at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding

from workloads.losses.treelstm import flat_labels

from ...shared.trees import WORD, flatten_tree
from .levels import joined, levels

TURNED = ()
# For each tree: `flatten_tree`'s table, and its nodes' labels.
Form = list[tuple[np.ndarray, np.ndarray]]


def flatten(instances: Sequence[Any]) -> Form:
    """Return flat trees and labels."""
    return [(flatten_tree(tree), flat_labels(tree)) for tree in instances]


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some trees by number."""
    return [form[i] for i in which]


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p, self.form = p, form

    def assemble(self) -> None:
        """Find the levels, and the order in which nodes are classified."""
        self.levels = levels([tree for tree, _ in self.form])
        table, first = self.levels.table, self.levels.first
        leaves = self.levels.of_leaves
        self.words = torch.from_numpy(table[leaves, WORD].astype(np.int64))
        # Leaves, then the inner nodes from the deepest level up.
        order = np.concatenate([leaves, *self.levels.inner[::-1]])
        labels = np.concatenate([labels for _, labels in self.form]).astype(np.int64)
        self.labels = torch.from_numpy(labels[order])
        trees = np.repeat(np.arange(len(self.form)), np.diff(first))
        self.trees = torch.from_numpy(trees[order])
        self.n_nodes, self.n_batches = len(table), len(self.levels.leaves)

    def compute(self) -> torch.Tensor:
        """Compute the sums of the nodes' losses, [trees]."""
        p = self.p.inner
        hidden = p.emb.shape[1]
        x = embedding(self.words, p.emb, sparse=True)
        i, o, u = torch.addmm(p.b_leaf, x, p.w_leaf).chunk(3, 1)
        leaf_c = torch.sigmoid(i) * torch.tanh(u)
        leaf_h = torch.sigmoid(o) * torch.tanh(leaf_c)
        states = [leaf_h]
        counts = self.levels.counts
        of_leaves = zip(leaf_h.split(counts), leaf_c.split(counts), strict=True)
        from_roots = list(zip(of_leaves, self.levels.inner, self.levels.places, strict=True))
        h, c = from_roots[-1][0]
        for (more_h, more_c), inner, place in reversed(from_roots):
            if not len(inner):
                continue  # the deepest
            z = torch.addmm(p.b, h.reshape(-1, 2 * hidden), p.w)
            i, o, u, f_l, f_r = z.chunk(5, 1)
            c_l, c_r = c.reshape(-1, 2 * hidden).chunk(2, 1)
            c = (
                torch.sigmoid(i) * torch.tanh(u)
                + torch.sigmoid(f_l) * c_l
                + torch.sigmoid(f_r) * c_r
            )
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
            h, c = joined(h, more_h, place), joined(c, more_c, place)
        logits = torch.addmm(self.p.b_out, torch.cat(states), self.p.w_out)
        found = cross_entropy(logits, self.labels, reduction="none")
        return found.new_zeros(len(self.form)).index_add(0, self.trees, found)
