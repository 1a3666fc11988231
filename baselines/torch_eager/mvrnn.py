"""MV-RNN node by node."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """The composition of vectors and matrices."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w", "w_m"), device)

    def __call__(self, tree: Any) -> torch.Tensor:
        return self.node(tree)[0]

    def node(self, tree: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vector and the matrix of one node."""
        p = self.p
        if not hasattr(tree, "left"):
            return p.vectors[tree.word], p.matrices[tree.word % 256]
        a, a_matrix = self.node(tree.left)
        b, b_matrix = self.node(tree.right)
        crossed = torch.cat((a @ b_matrix, b @ a_matrix))
        phrase = torch.tanh(linear(crossed, p.w, p.b))
        return phrase, linear(torch.cat((a_matrix, b_matrix), dim=1), p.w_m)
