"""An RNN inside a GRU, document by document; a sentence's inputs are projected in one call."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """The RNN and the GRU, with both cells written out."""

    def __init__(self, params: Any, device: str) -> None:
        self.device = device
        self.p = as_torch(params, ("w", "u", "w_gru", "u_gru"), device)

    def __call__(self, document: Any) -> torch.Tensor:
        p = self.p
        h = torch.zeros_like(p.b)
        for words in document.sentences:
            inner = h
            for x in linear(p.emb[torch.tensor(words, device=self.device)], p.w, p.b):
                inner = torch.tanh(x + linear(inner, p.u))
            x_r, x_z, x_n = linear(inner, p.w_gru, p.b_gru).chunk(3)
            h_r, h_z, h_n = linear(h, p.u_gru).chunk(3)
            z = torch.sigmoid(x_z + h_z)
            n = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
            h = (1 - z) * n + z * h
        return h
