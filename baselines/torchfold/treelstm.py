"""TreeLSTM as in torchfold's SPINN example."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.functional import embedding, linear

from ..torch_eager.weights import as_torch


class Net:
    """The cell: one linear layer for all gates of a node."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w_leaf", "w"), "cpu")

    def leaf(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (h, c) of leaves."""
        p = self.p
        i, o, u = linear(embedding(words, p.emb), p.w_leaf, p.b_leaf).chunk(3, 1)
        c = i.sigmoid() * u.tanh()
        return o.sigmoid() * c.tanh(), c

    def children(
        self,
        left_h: torch.Tensor,
        left_c: torch.Tensor,
        right_h: torch.Tensor,
        right_c: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (h, c) of inner nodes."""
        z = linear(torch.cat((left_h, right_h), 1), self.p.w, self.p.b)
        i, o, u, f_l, f_r = z.chunk(5, 1)
        c = i.sigmoid() * u.tanh() + f_l.sigmoid() * left_c + f_r.sigmoid() * right_c
        return o.sigmoid() * c.tanh(), c


def encode(fold: Any, tree: Any) -> Any:
    """Add a tree, and return its nodes (h, c)."""
    if not hasattr(tree, "left"):
        return fold.add("leaf", tree.word).split(2)
    left_h, left_c = encode(fold, tree.left)
    right_h, right_c = encode(fold, tree.right)
    return fold.add("children", left_h, left_c, right_h, right_c).split(2)


def record(fold: Any, tree: Any) -> tuple[list[Any], list[Any]]:
    """Record the root's (h, c)."""
    h, c = encode(fold, tree)
    return [h], [c]


def result(h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (h, c)."""
    return h[0], c[0]
