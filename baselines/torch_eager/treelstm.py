"""TreeLSTM node by node."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """The cell: one linear layer for all gates of a node."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w_leaf", "w"), device)

    def __call__(self, tree: Any) -> tuple[torch.Tensor, torch.Tensor]:
        p = self.p
        if hasattr(tree, "left"):
            h_l, c_l = self(tree.left)
            h_r, c_r = self(tree.right)
            i, o, u, f_l, f_r = linear(torch.cat((h_l, h_r)), p.w, p.b).chunk(5)
            c = (
                torch.sigmoid(i) * torch.tanh(u)
                + torch.sigmoid(f_l) * c_l
                + torch.sigmoid(f_r) * c_r
            )
        else:
            i, o, u = linear(p.emb[tree.word], p.w_leaf, p.b_leaf).chunk(3)
            c = torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(c), c
