"""BERxiT, the whole mini-batch layer by layer: after every layer the sequences that are certain
are removed, and the remaining ones are compacted.

In `Maximum` every sequence goes through all layers, and keeps the result that it had when it became
certain: nothing has to come to the host before the end.

The linear layers run over all tokens of all sequences, with packed weights and fused gelu;
attention and layer norm are torch's own. The certainties of a layer come to the host in one
transfer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from .weights import Weights

HEAD = 64


def flatten(instances: Sequence[Any]) -> tuple[torch.Tensor, np.ndarray]:
    """Return tokens [batch, S, H] and thresholds [batch, layers]."""
    tokens = torch.from_numpy(np.stack([s.tokens for s in instances]))
    return tokens, np.array([s.thresholds for s in instances])


class Batched:
    """The encoder with early exit, and the classifier."""

    def __init__(
        self, params: Any, form: tuple[torch.Tensor, np.ndarray], weights: Weights
    ) -> None:
        tokens, self.thresholds = form
        self.tokens = tokens.to(weights.place.device)
        p, self.weights = params.layer, weights
        linear = self.weights.linear
        self.qkv = linear("qkv", p.w_qkv, p.b_qkv)
        self.mix = linear("mix", p.w_o, p.b_o)
        self.up = linear("up", p.w_up, p.b_up, "gelu")
        self.down = linear("down", p.w_down, p.b_down)
        self.certain = linear("certain", params.w_certain, None, "sigmoid")
        self.pool = linear("pool", params.w_pool, params.b_pool, "tanh")
        self.classify = linear("classify", params.w_class, params.b_class)
        self.norms = [
            (weights.place.weight(g), weights.place.weight(b))
            for g, b in ((p.g_1, p.b_1), (p.g_2, p.b_2))
        ]
        self.positions = weights.place.weight(p.positions)

    def assemble(self) -> None:
        """Do nothing: the input is rectangular."""

    def compute(self) -> None:
        """Compute class distributions [batch, C], and the number of layers run per sequence."""
        (batch, _, hidden), place = self.tokens.shape, self.weights.place
        x = self.tokens + self.positions
        left = np.arange(batch)
        self.layers = np.zeros(batch, np.int64)
        first = x.new_empty(batch, hidden)
        depth = self.thresholds.shape[1]
        for n in range(depth):
            x = self.layer(x)
            heads = x[:, 0]
            self.layers[left] += 1
            done = place.get(self.certain(heads))[:, 0] > self.thresholds[left, n]
            if n + 1 == depth:
                done[:] = True
            if done.any():
                gone, stay = np.flatnonzero(done), np.flatnonzero(~done)
                to, leave, keep = place.put(left[gone], gone, stay)
                first.index_copy_(0, to, heads.index_select(0, leave))
                left = left[stay]
                if len(left) == 0:
                    break
                x = x.index_select(0, keep)
        if depth == 0:
            first.copy_(x[:, 0])
        self.finish(first, self.layers)

    def finish(self, first: torch.Tensor, layers: np.ndarray) -> None:
        """Classify the first tokens [batch, H]; `layers` are the layers computed per sequence."""
        self.labels = torch.softmax(self.classify(self.pool(first)), 1)
        self.n_nodes = int(layers.sum()) + len(layers)
        self.n_batches = int(layers.max(initial=0)) + 1

    def layer(self, x: torch.Tensor) -> torch.Tensor:
        """Apply one encoder layer, [n, S, H] to [n, S, H]."""
        n, s, h = x.shape
        flat = x.view(n * s, h)
        q, k, v = self.qkv(flat).view(n, s, 3, h // HEAD, HEAD).permute(2, 0, 3, 1, 4)
        mixed = self.weights.product(scaled_dot_product_attention, q, k, v)
        mixed = self.mix(mixed.transpose(1, 2).reshape(n * s, h))
        flat = layer_norm(mixed.add_(flat), (h,), *self.norms[0])
        down = self.down(self.up(flat))
        return layer_norm(down.add_(flat), (h,), *self.norms[1]).view(n, s, h)

    def results(self) -> list[tuple[np.ndarray, int]]:
        """Return (distribution, layers) per sequence."""
        return list(zip(self.weights.place.get(self.labels), self.layers.tolist(), strict=True))


class Maximum(Batched):
    """The variant that runs every sequence through all layers."""

    def __init__(
        self, params: Any, form: tuple[torch.Tensor, np.ndarray], weights: Weights
    ) -> None:
        super().__init__(params, form, weights)
        self.limits = weights.place.weight(self.thresholds.astype(np.float32))

    def compute(self) -> None:
        """Compute the same as `Batched`, with the work of all layers for all sequences."""
        x = self.tokens + self.positions
        batch, depth = self.thresholds.shape
        runs = torch.ones(batch, dtype=torch.bool, device=x.device)
        layers, first = torch.zeros_like(runs, dtype=torch.int64), x[:, 0]
        for n in range(depth):
            x = self.layer(x)
            layers += runs
            first = torch.where(runs[:, None], x[:, 0], first)
            runs = runs & (self.certain(x[:, 0].contiguous())[:, 0] <= self.limits[:, n])
        self.layers = self.weights.place.get(layers)
        self.finish(first, np.full(batch, depth))
