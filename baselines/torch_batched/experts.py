"""Mixture of experts, all tokens of all sentences at once, expert by expert: the tokens are sorted
by expert, each expert runs on its partition, and the results are scattered back to the tokens.

All tokens of a word give the same result, whatever their neighbours, so every word that occurs is
computed once. The token counts of the experts come to the host in one transfer per layer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import layer_norm

from .packing import distinct_words
from .weights import Weights


def flatten(instances: Sequence[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return all words, and the lengths of the sentences."""
    lengths = np.array([len(s) for s in instances], np.int64)
    return np.fromiter(itertools.chain.from_iterable(instances), np.int64), lengths


class _Layer:
    """The products of a layer."""

    def __init__(self, name: str, p: Any, weights: Weights) -> None:
        self.norm = weights.place.weight(p.g), weights.place.weight(p.b)
        self.router = weights.linear(f"{name}_router", p.router)
        self.up: list[Callable[[torch.Tensor], torch.Tensor]] = []
        self.down: list[Callable[[torch.Tensor], torch.Tensor]] = []
        for k in range(len(p.w_up)):
            self.up.append(weights.linear(f"{name}_up_{k}", p.w_up[k], p.b_up[k]))
            self.down.append(weights.linear(f"{name}_down_{k}", p.w_down[k], p.b_down[k]))


class Batched:
    """Both layers and the classifier."""

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        self.flat, self.lengths = form
        self.weights = weights
        self.emb = weights.place.weight(params.emb)
        self.layers = [
            _Layer(name, p, weights) for name, p in (("one", params.one), ("two", params.two))
        ]
        self.classify = weights.linear("classify", params.w_out, params.b_out)

    def assemble(self) -> None:
        """Find the words that occur."""
        words, number = distinct_words(self.flat, len(self.emb))
        self.words, self.number = self.weights.place.put(words, number)
        self.n_nodes = len(words) * (len(self.layers) + 1)

    def compute(self) -> None:
        """Compute the distributions of all tokens, [tokens, C]."""
        self.n_batches = 1
        x = self.emb.index_select(0, self.words)
        for layer in self.layers:
            x = self.layer(layer, x)
        self.labels = torch.softmax(self.classify(x), 1).index_select(0, self.number)

    def layer(self, layer: _Layer, x: torch.Tensor) -> torch.Tensor:
        """Apply a layer to the tokens, [n, H] to [n, H]."""
        y = layer_norm(x, x.shape[1:], *layer.norm)
        chance, chosen = torch.softmax(layer.router(y), 1).max(1)
        order = torch.argsort(chosen, stable=True)
        sorted_y = y.index_select(0, order)
        counts = self.weights.place.get(torch.bincount(chosen, minlength=len(layer.up)))
        ends = np.cumsum(counts).tolist()
        parts = []
        for k, (end, count) in enumerate(zip(ends, counts.tolist(), strict=True)):
            if count:
                up = layer.up[k](sorted_y[end - count : end]).relu_()
                parts.append(layer.down[k](up))
        self.n_batches += 2 + 2 * len(parts)
        out = torch.cat(parts).mul_(chance.index_select(0, order)[:, None])
        return x.index_add(0, order, out)

    def results(self) -> list[list[np.ndarray]]:
        """Return the tokens' distributions, per sentence."""
        labels = self.weights.place.get(self.labels)
        ends = np.cumsum(self.lengths)
        return [
            list(labels[end - n : end])
            for n, end in zip(self.lengths.tolist(), ends.tolist(), strict=True)
        ]
