"""Child-sum TreeLSTM: projection, leaves, and the two halves of a level are regions.

Between the halves, torch's own `index_add_` sums over the children: inductor's is one atomic
addition per number."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import treelstm_childsum
from ..torch_batched.weights import Weights
from .regions import region


class Compiled(treelstm_childsum.Batched):
    """The cell of one level."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        super().__init__(params, trees, weights)
        self.project = region(Project(self.input))
        self.compiled_leaves = region(Leaves())
        self.children_part = region(Children(self.forget))
        self.node_part = region(Nodes(self.total))

    def leaf_level(
        self, x: torch.Tensor, all_h: torch.Tensor, all_c: torch.Tensor, end: int
    ) -> None:
        self.compiled_leaves(x, all_h, all_c, end)

    def level(
        self,
        x: torch.Tensor,
        all_h: torch.Tensor,
        all_c: torch.Tensor,
        child: torch.Tensor,
        parent: torch.Tensor,
        first: int,
        end: int,
    ) -> None:
        h_child, kept = self.children_part(x, all_h, all_c, child, parent)
        row, sums = parent - first, x.new_zeros(2, end - first, self.hidden)
        total, c = sums[0].index_add_(0, row, h_child), sums[1].index_add_(0, row, kept)
        self.node_part(x, total, c, all_h, all_c, first, end)


class Project(nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        x: torch.Tensor = self.layer(emb.index_select(0, words))
        return x


class Leaves(nn.Module):
    def forward(self, x: torch.Tensor, all_h: torch.Tensor, all_c: torch.Tensor, end: int) -> None:
        i, o, u, _ = x[:end].chunk(4, 1)
        c = torch.sigmoid(i) * torch.tanh(u)
        all_c[:end] = c
        all_h[:end] = torch.sigmoid(o) * torch.tanh(c)


class Children(nn.Module):
    def __init__(self, forget: Any) -> None:
        super().__init__()
        self.forget = forget

    def forward(
        self,
        x: torch.Tensor,
        all_h: torch.Tensor,
        all_c: torch.Tensor,
        child: torch.Tensor,
        parent: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        h = all_h.index_select(0, child)
        gate = self.forget(h) + x.chunk(4, 1)[3].index_select(0, parent)
        return h, torch.sigmoid(gate) * all_c.index_select(0, child)


class Nodes(nn.Module):
    def __init__(self, total: Any) -> None:
        super().__init__()
        self.total = total

    def forward(
        self,
        x: torch.Tensor,
        total: torch.Tensor,
        kept: torch.Tensor,
        all_h: torch.Tensor,
        all_c: torch.Tensor,
        first: int,
        end: int,
    ) -> None:
        x_i, x_o, x_u, _ = x[first:end].chunk(4, 1)
        i, o, u = self.total(total).chunk(3, 1)
        c = kept + torch.sigmoid(x_i + i) * torch.tanh(x_u + u)
        all_c[first:end] = c
        all_h[first:end] = torch.sigmoid(x_o + o) * torch.tanh(c)
