"""The joint loss of all exits."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, linear

from ..berxit import Net

TURNED = ("w_qkv", "w_o", "w_up", "w_down", "w_certain", "w_pool", "w_class")


class LossNet(Net):
    """Sequence by sequence; the losses of all exits of a sequence are computed together."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, given: Any) -> torch.Tensor:  # type: ignore[override]
        p = self.p
        x = torch.from_numpy(given.tokens) + p.layer.positions
        firsts: list[torch.Tensor] = []
        for _ in given.exits:
            x = self.layer(x)
            firsts.append(x[0])
        heads = torch.stack(firsts)
        pooled = torch.tanh(linear(heads, p.w_pool, p.b_pool))
        labels = torch.full((len(heads),), given.label)
        total = cross_entropy(linear(pooled, p.w_class, p.b_class), labels, reduction="sum")
        odds = linear(heads, p.w_certain)[:, 0]
        exits = torch.tensor(given.exits, dtype=odds.dtype)
        return total + binary_cross_entropy_with_logits(odds, exits, reduction="sum")
