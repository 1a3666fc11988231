"""A decoder prompt by prompt; its cache is a tensor that grows by concatenation."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import layer_norm, linear, relu, scaled_dot_product_attention

from workloads.other.decoder import HEAD, POSITIONS, STOP

from .weights import as_torch


class Net:
    """Two layers, one position at a time."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w_qkv", "w_o", "w_up", "w_down", "w_out"), device)

    def __call__(self, prompt: Any) -> tuple[list[int], torch.Tensor]:
        p = self.p
        words: list[int] = prompt.words[:1]
        caches: list[torch.Tensor | None] = [None, None]
        for at in range(POSITIONS):
            x = p.emb[words[at]] + p.positions[at]
            for n, layer in enumerate((p.one, p.two)):
                x, caches[n] = self.layer(layer, x, caches[n])
            if at + 1 < len(prompt.words):
                words.append(prompt.words[at + 1])
                continue
            scores = linear(x, p.w_out, p.b_out) + prompt.noise[at]
            words.append(int(scores.argmax().item()))
            if words[-1] == STOP:
                break
        return words, x

    @staticmethod
    def layer(
        p: Any, x: torch.Tensor, cache: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Apply a layer at one position; the cache is [2, heads, positions, HEAD]."""
        new = linear(layer_norm(x, x.shape, p.g_1, p.b_1), p.w_qkv).view(3, -1, 1, HEAD)
        cache = new[1:] if cache is None else torch.cat((cache, new[1:]), dim=2)
        mixed = scaled_dot_product_attention(new[0], cache[0], cache[1])
        x = x + linear(mixed.reshape(-1), p.w_o)
        y = layer_norm(x, x.shape, p.g_2, p.b_2)
        return x + linear(relu(linear(y, p.w_up, p.b_up)), p.w_down, p.b_down), cache
