"""Child-sum TreeLSTM node by node; the states of a node's children are one matrix."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """The cell: words are projected one at a time, a node's children together."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w", "u", "u_f"), device)

    def __call__(self, tree: Any) -> tuple[torch.Tensor, torch.Tensor]:
        p = self.p
        i, o, u, f = linear(p.emb[tree.word], p.w, p.b).chunk(4)
        kept: Any = 0.0
        if tree.children:
            hs, cs = (torch.stack(x) for x in zip(*map(self, tree.children), strict=True))
            i_h, o_h, u_h = linear(hs.sum(0), p.u).chunk(3)
            i, o, u = i + i_h, o + o_h, u + u_h
            kept = (torch.sigmoid(f + linear(hs, p.u_f)) * cs).sum(0)
        c = torch.sigmoid(i) * torch.tanh(u) + kept
        return torch.sigmoid(o) * torch.tanh(c), c
