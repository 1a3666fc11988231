"""BERxiT sequence by sequence, with torch's own attention."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

from .weights import as_torch

_TURNED = ("w_qkv", "w_o", "w_up", "w_down", "w_certain", "w_pool", "w_class")


class Net:
    """An encoder that stops at the first layer that is certain."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, _TURNED, device)

    def __call__(self, sequence: Any) -> tuple[torch.Tensor, int]:
        p = self.p
        x = sequence.tokens + p.layer.positions
        layers = 0
        for threshold in sequence.thresholds:
            x = self.layer(x)
            layers += 1
            if torch.sigmoid(linear(x[0], p.w_certain)).item() > threshold:
                break
        pooled = torch.tanh(linear(x[0], p.w_pool, p.b_pool))
        return torch.softmax(linear(pooled, p.w_class, p.b_class), dim=0), layers

    def layer(self, x: torch.Tensor) -> torch.Tensor:
        """Apply one encoder layer, [S, H] to [S, H]."""
        p = self.p.layer
        s, h = x.shape
        heads = linear(x, p.w_qkv, p.b_qkv).view(s, 3, h // 64, 64).permute(1, 2, 0, 3)
        mixed = scaled_dot_product_attention(heads[0], heads[1], heads[2])
        mixed = linear(mixed.transpose(0, 1).reshape(s, h), p.w_o, p.b_o)
        x = layer_norm(x + mixed, (h,), p.g_1, p.b_1)
        down = linear(gelu(linear(x, p.w_up, p.b_up)), p.w_down, p.b_down)
        return layer_norm(x + down, (h,), p.g_2, p.b_2)
