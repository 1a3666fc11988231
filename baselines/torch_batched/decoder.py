"""A decoder with a cache, all prompts in step: every row is at the same position, whether it still
reads its prompt or already generates, so the cache is rectangular.

The cache is allocated for all positions at once. A prompt that has stopped keeps its row, and its
output is ignored, until fewer than three quarters of the rows are in use; then the rows in use are
compacted. The words of a step come to the host in one transfer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from workloads.other.decoder import HEAD, POSITIONS, STOP

from .weights import Weights

# The fraction of rows in use below which the rows are compacted.
_OF_USE = 0.75


def flatten(instances: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, torch.Tensor]:
    """Return padded prompts, their lengths, and the noise [batch, positions, V]."""
    lengths = np.array([len(p.words) for p in instances], np.int64)
    words = np.zeros((len(instances), int(lengths.max(initial=0))), np.int64)
    for row, prompt in zip(words, instances, strict=True):
        row[: len(prompt.words)] = prompt.words
    return words, lengths, torch.from_numpy(np.stack([p.noise for p in instances]))


class _Layer:
    """The products of a layer."""

    def __init__(self, name: str, p: Any, weights: Weights) -> None:
        place, linear = weights.place.weight, weights.linear
        self.norms = (place(p.g_1), place(p.b_1)), (place(p.g_2), place(p.b_2))
        self.qkv = linear(f"{name}_qkv", p.w_qkv)
        self.mix = linear(f"{name}_mix", p.w_o)
        self.up = linear(f"{name}_up", p.w_up, p.b_up)
        self.down = linear(f"{name}_down", p.w_down, p.b_down)


class Batched:
    """Both layers, one position at a time."""

    def __init__(
        self,
        params: Any,
        form: tuple[np.ndarray, np.ndarray, torch.Tensor],
        weights: Weights,
    ) -> None:
        self.prompts, self.lengths, noise = form
        self.noise, self.weights = noise.to(weights.place.device), weights
        self.emb = weights.place.weight(params.emb)
        self.positions = weights.place.weight(params.positions)
        self.layers = [
            _Layer(name, p, weights) for name, p in (("one", params.one), ("two", params.two))
        ]
        self.output = weights.linear("output", params.w_out, params.b_out)

    def assemble(self) -> None:
        """Do nothing: the input is rectangular."""

    def compute(self) -> None:
        """Compute every prompt's words, and the last states [batch, H]."""
        batch, place = len(self.lengths), self.weights.place
        hidden, noise = self.emb.shape[1], self.noise
        heads = hidden // HEAD
        caches = [self.emb.new_empty(2, batch, heads, POSITIONS, HEAD) for _ in self.layers]
        self.last = self.emb.new_empty(batch, hidden)
        self.words = [[int(w)] for w in self.prompts[:, 0]]
        # The prompt of every row, or -1 if the row is no longer in use.
        rows, word = np.arange(batch), self.prompts[:, 0].copy()
        self.n_batches = self.n_nodes = 0
        for at in range(POSITIONS):
            x = self.emb.index_select(0, *place.put(word)) + self.positions[at]
            for layer, cache in zip(self.layers, caches, strict=True):
                x = self.layer(layer, x, cache, at)
            self.n_batches += 1
            self.n_nodes += int((rows >= 0).sum())
            reads = self.lengths[rows] > at + 1
            if at + 1 < self.prompts.shape[1]:
                word = np.where(reads, self.prompts[rows, at + 1], 0)
            if not reads.all():
                chosen = place.get(torch.argmax(self.output(x) + noise[:, at], 1))
                word = np.where(reads, word, chosen)
            in_use = np.flatnonzero(rows >= 0)
            for row, w in zip(rows[in_use].tolist(), word[in_use].tolist(), strict=True):
                self.words[row].append(w)
            done = (rows >= 0) & (((word == STOP) & ~reads) | (at + 1 == POSITIONS))
            if done.any():
                gone = np.flatnonzero(done)
                to, leave = place.put(rows[gone], gone)
                self.last.index_copy_(0, to, x.index_select(0, leave))
                rows = np.where(done, -1, rows)
            stay = np.flatnonzero(rows >= 0)
            if len(stay) == 0:
                break
            if len(stay) < _OF_USE * len(rows):
                (keep,) = place.put(stay)
                rows, word, noise = rows[stay], word[stay], noise.index_select(0, keep)
                caches = [cache.index_select(1, keep) for cache in caches]

    def layer(self, layer: _Layer, x: torch.Tensor, cache: torch.Tensor, at: int) -> torch.Tensor:
        """Apply a layer to the rows [n, H] at position `at`; add their keys and values to the cache
        [2, n, heads, positions, HEAD]."""
        n, hidden = x.shape
        y = layer_norm(x, (hidden,), *layer.norms[0])
        q, k, v = layer.qkv(y).view(n, 3, hidden // HEAD, HEAD).unbind(1)
        cache[0, :, :, at], cache[1, :, :, at] = k, v
        keys, values = cache[:, :, :, : at + 1]
        attention = scaled_dot_product_attention
        mixed = self.weights.product(attention, q[:, :, None], keys, values)
        x = layer.mix(mixed.reshape(n, hidden)).add_(x)
        up = layer.up(layer_norm(x, (hidden,), *layer.norms[1])).relu_()
        return layer.down(up).add_(x)

    def results(self) -> list[tuple[list[int], np.ndarray]]:
        """Return (words, last state) per prompt."""
        return list(zip(self.words, self.weights.place.get(self.last), strict=True))
