"""Mixture of experts, all tokens of a sentence at once, expert by expert, as in published code."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import layer_norm, linear

from .weights import as_torch


class Net:
    """Two layers, whose experts select their tokens by masks."""

    def __init__(self, params: Any, device: str) -> None:
        self.device = device
        self.p = as_torch(params, ("router", "w_out"), device)

    def __call__(self, words: list[int]) -> list[torch.Tensor]:
        p = self.p
        x = p.emb[torch.tensor(words, device=self.device)]
        for layer in (p.one, p.two):
            x = x + self.mixture(layer, layer_norm(x, x.shape[1:], layer.g, layer.b))
        return list(torch.softmax(linear(x, p.w_out, p.b_out), dim=1))

    @staticmethod
    def mixture(p: Any, y: torch.Tensor) -> torch.Tensor:
        """Return what the experts add to tokens `y` [n, H]."""
        chance, chosen = torch.softmax(linear(y, p.router), dim=1).max(1)
        out = torch.empty_like(y)
        for k in chosen.unique().to("cpu").tolist():
            mine = chosen == k
            up = torch.relu(torch.addmm(p.b_up[k], y[mine], p.w_up[k]))
            out[mine] = torch.addmm(p.b_down[k], up, p.w_down[k])
        return out * chance[:, None]
