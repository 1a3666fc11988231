"""Lattice LSTM arc by arc; all words of a lattice are projected in one call, and the states that an
arc reads are one matrix."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """The cell of one arc; states are a list by arc number, the beginning's first."""

    def __init__(self, params: Any, device: str) -> None:
        self.device = device
        self.p = as_torch(params, ("w", "u", "u_f"), device)

    def __call__(self, lattice: Any) -> tuple[torch.Tensor, torch.Tensor]:
        p = self.p
        words = torch.tensor([arc.word for arc in lattice.arcs], device=self.device)
        zero = torch.zeros_like(p.u_f[0])
        states = [(zero, zero)]
        for x, arc in zip(linear(p.emb[words], p.w, p.b), lattice.arcs, strict=True):
            i, o, u, f = x.chunk(4)
            hs, cs = (torch.stack(s) for s in zip(*(states[k] for k in arc.before), strict=True))
            i_h, o_h, u_h = linear(hs.sum(0), p.u).chunk(3)
            kept = (torch.sigmoid(f + linear(hs, p.u_f)) * cs).mean(0)
            c = torch.sigmoid(i + i_h) * torch.tanh(u + u_h) + kept
            states.append((torch.sigmoid(o + o_h) * torch.tanh(c), c))
        return states[-1]
