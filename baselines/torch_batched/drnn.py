"""DRNN, wave by wave: all nodes of all trees that can be generated at once.

A wave consists of the first children and the next siblings of the previous wave. Two values that
the cell of a single node recomputes are reused here: the ancestral state of a sibling is already
known from the node to its left, and the fraternal state of a first child is a constant. The two
probabilities of every node come to the host in one transfer per wave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from workloads.drnn import LEVELS, SIBLINGS, Nothing, Tree

from .weights import Weights


def flatten(instances: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return tokens [batch] and the thresholds of child and sibling [2, batch, positions]."""
    tokens = np.array([s.token for s in instances], np.int64)
    return tokens, np.array([[s.child for s in instances], [s.sibling for s in instances]])


class Batched:
    """The cell of one wave."""

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        self.tokens, self.thresholds = form
        self.weights = weights
        linear = self.weights.linear
        self.emb = weights.place.weight(params.emb)
        self.labels = linear("labels", params.labels)
        self.ancestral = linear("ancestral", params.w_a, params.b_a, "tanh")
        self.fraternal = linear("fraternal", params.w_f, params.b_f, "tanh")
        self.predict = linear("predict", np.concatenate([params.u_a, params.u_f]), None, "tanh")
        # Label, child and sibling from one product.
        outputs = np.concatenate([params.w_label, params.w_child, params.w_sibling], 1)
        self.output = linear("output", outputs)
        self.n_labels = params.w_label.shape[1]
        self.first_child = weights.place.weight(np.tanh(params.b_f))

    def assemble(self) -> None:
        """Do nothing: the structure is known only once it is generated."""

    def compute(self) -> None:
        """Compute, per wave, the labels [nodes, C] and every node's parent or left sibling."""
        hidden, place = self.emb.shape[1], self.weights.place
        instance = np.arange(len(self.tokens))
        at = np.zeros_like(instance)
        level, number = at.copy(), at.copy()
        root = self.emb.index_select(0, *place.put(self.tokens))
        h_a = self.ancestral(torch.cat([root, torch.zeros_like(root)], 1))
        h_f = self.first_child.expand(len(instance), hidden)
        self.waves: list[tuple[torch.Tensor, np.ndarray, int]] = []
        came_from, children = instance, 0
        while len(instance):
            label, x, odds = self.wave(h_a, h_f)
            self.waves.append((label, came_from, children))
            probability = place.get(odds)
            has_child = level < LEVELS
            has_child &= probability[:, 0] > self.thresholds[0, instance, at]
            has_sibling = (level > 0) & (number < SIBLINGS - 1)
            has_sibling &= probability[:, 1] > self.thresholds[1, instance, at]
            down, right = np.flatnonzero(has_child), np.flatnonzero(has_sibling)
            came_from, children = np.concatenate([down, right]), len(down)
            instance = instance[came_from]
            at = np.concatenate([3 * at[down] + 1, at[right] + 1])
            number = np.concatenate([np.zeros_like(down), number[right] + 1])
            level = np.concatenate([level[down] + 1, level[right]])
            if len(came_from) == 0:
                break
            to_down, to_right = place.put(down, right)
            parts_a, parts_f = [], []
            if len(down):
                parts_a.append(self.down(h_a, x, to_down))
                parts_f.append(self.first_child.expand(len(down), hidden))
            if len(right):
                parts_a.append(h_a.index_select(0, to_right))
                parts_f.append(self.right(h_f, x, to_right))
            h_a, h_f = torch.cat(parts_a), torch.cat(parts_f)
        self.n_batches = len(self.waves)
        self.n_nodes = sum(len(label) for label, _, _ in self.waves)

    def wave(
        self, h_a: torch.Tensor, h_f: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return labels [n, C], their embeddings [n, H], and the probabilities of child and
        sibling, [n, 2], from the states [n, H]."""
        scores = self.output(self.predict(torch.cat([h_a, h_f], 1)))
        label = torch.softmax(scores[:, : self.n_labels], 1)
        return label, self.labels(label), torch.sigmoid(scores[:, self.n_labels :])

    def down(self, h_a: torch.Tensor, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return the ancestral states of the first children of nodes `rows`."""
        return self.ancestral(torch.cat([h_a.index_select(0, rows), x.index_select(0, rows)], 1))

    def right(self, h_f: torch.Tensor, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return the fraternal states of the next siblings of nodes `rows`."""
        return self.fraternal(torch.cat([h_f.index_select(0, rows), x.index_select(0, rows)], 1))

    def results(self) -> list[Tree]:
        """Return the trees, built from the last wave to the first."""
        later: dict[tuple[bool, int], Tree] = {}
        for label, came_from, children in reversed(self.waves):
            trees = [
                Tree(row, later.get((True, i), Nothing()), later.get((False, i), Nothing()))
                for i, row in enumerate(self.weights.place.get(label))
            ]
            pairs = enumerate(zip(came_from.tolist(), trees, strict=True))
            later = {(i < children, source): tree for i, (source, tree) in pairs}
        return trees
