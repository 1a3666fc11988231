"""TreeLSTM: the leaves and a level of inner nodes are one region each, from gather to scatter.

States and weights are scaled as in `torch_batched`: one sigmoid over all gates is fused into the
product. Left and right children are gathered separately: with rows of pairs, inductor computes
every index with a division, and the step takes 1.3 times as long."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import treelstm
from ..torch_batched.weights import Weights
from .regions import region


class Compiled(treelstm.Batched):
    """The cell with folded weights."""

    def __init__(self, params: Any, trees: list[np.ndarray], weights: Weights) -> None:
        super().__init__(params, trees, weights)
        self.compiled_leaves, self.compiled_level = (
            region(Leaves(self.leaf)),
            region(Level(self.inner)),
        )

    def leaf_level(self, all_h: torch.Tensor, all_c: torch.Tensor, words: torch.Tensor) -> None:
        self.compiled_leaves(self.emb, all_h, all_c, words)

    def level(
        self, all_h: torch.Tensor, all_c: torch.Tensor, pairs: torch.Tensor, first: int, end: int
    ) -> None:
        self.compiled_level(all_h, all_c, pairs.view(-1, 2), first, end)


class Leaves(nn.Module):
    def __init__(self, leaf: Any) -> None:
        super().__init__()
        self.leaf = leaf

    def forward(
        self, emb: torch.Tensor, all_h: torch.Tensor, all_c: torch.Tensor, words: torch.Tensor
    ) -> None:
        i, o, u = self.leaf(emb.index_select(0, words)).chunk(3, 1)
        c = 4 * i * (u - 0.5)
        all_c[: len(words)] = c
        all_h[: len(words)] = o * (torch.sigmoid(c) - 0.5)


class Level(nn.Module):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(
        self, all_h: torch.Tensor, all_c: torch.Tensor, pairs: torch.Tensor, first: int, end: int
    ) -> None:
        left, right = pairs[:, 0], pairs[:, 1]
        x = torch.cat([all_h.index_select(0, left), all_h.index_select(0, right)], 1)
        i, o, u, f_l, f_r = self.inner(x).chunk(5, 1)
        kept = f_l * all_c.index_select(0, left) + f_r * all_c.index_select(0, right)
        c = kept + 4 * i * (u - 0.5)
        all_c[first:end] = c
        all_h[first:end] = o * (torch.sigmoid(c) - 0.5)
