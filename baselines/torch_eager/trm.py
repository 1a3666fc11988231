"""A Tiny Recursive Model puzzle by puzzle, each until it halts."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

from workloads.other.trm import LATENT

from .weights import as_torch

_EPSILON = 1e-5


class Net:
    """The network, with torch's own attention and norm."""

    def __init__(self, params: Any, device: str) -> None:
        turned = ("w_qkv", "w_o", "w_up", "w_down", "w_halt", "w_out")
        self.p = as_torch(params, turned, device)

    def __call__(self, puzzle: Any) -> tuple[torch.Tensor, int]:
        p = self.p
        x = puzzle.cells + p.positions
        y, z, steps = p.answer, p.latent, 0
        for threshold in puzzle.thresholds:
            for _ in range(LATENT):
                z = self.net(x + y + z)
            y = self.net(y + z)
            steps += 1
            if torch.sigmoid(linear(y[0], p.w_halt)).item() > threshold:
                break
        return torch.softmax(linear(y, p.w_out), dim=1), steps

    def net(self, x: torch.Tensor) -> torch.Tensor:
        """Apply both layers, [S, H] to [S, H]."""
        s, h = x.shape
        for p in (self.p.one, self.p.two):
            q, k, v = linear(x, p.w_qkv).view(s, 3, h // 64, 64).permute(1, 2, 0, 3)
            mixed = scaled_dot_product_attention(q, k, v).transpose(0, 1).reshape(s, h)
            x = rms_norm(x + linear(mixed, p.w_o), (h,), p.g_1, _EPSILON)
            gate, up = linear(x, p.w_up).chunk(2, 1)
            x = rms_norm(x + linear(silu(gate) * up, p.w_down), (h,), p.g_2, _EPSILON)
        return x
