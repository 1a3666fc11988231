"""MV-RNN: the vectors of a level are one region, the matrices another."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import mvrnn
from ..torch_batched.weights import Weights
from .regions import region


class Compiled(mvrnn.Batched):
    """The composition of one level."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        super().__init__(params, trees, weights)
        self.cross = region(Cross(self.vector))
        self.compiled_join = region(Join(self.left, self.right))

    def join(self, a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
        out.copy_(self.compiled_join(a, b))


class Cross(nn.Module):
    def __init__(self, vector: Any) -> None:
        super().__init__()
        self.vector = vector

    def forward(
        self, vectors: torch.Tensor, children: torch.Tensor, a: torch.Tensor, b: torch.Tensor
    ) -> torch.Tensor:
        left, right = (vectors.index_select(0, children[:, side]).unsqueeze(1) for side in (0, 1))
        crossed = torch.cat([torch.bmm(left, b), torch.bmm(right, a)], 2).squeeze(1)
        vector: torch.Tensor = self.vector(crossed)
        return vector


class Join(nn.Module):
    def __init__(self, left: Any, right: Any) -> None:
        super().__init__()
        self.left, self.right = left, right

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        joined: torch.Tensor = self.left(a) + self.right(b)
        return joined
