"""TreeGRU node by node."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """The cell: one linear layer for a node's gates, and one for its candidate."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w_leaf", "w", "u"), device)

    def __call__(self, tree: Any) -> torch.Tensor:
        p = self.p
        if not hasattr(tree, "left"):
            z, u = linear(p.emb[tree.word], p.w_leaf, p.b_leaf).chunk(2)
            return torch.sigmoid(z) * torch.tanh(u)
        h_l, h_r = self(tree.left), self(tree.right)
        z, r_l, r_r = torch.sigmoid(linear(torch.cat((h_l, h_r)), p.w, p.b)).chunk(3)
        u = torch.tanh(linear(torch.cat((r_l * h_l, r_r * h_r)), p.u, p.d))
        return torch.lerp((h_l + h_r) / 2, u, z)
