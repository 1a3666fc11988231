"""DRNN node by node."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from workloads.drnn import LEVELS, SIBLINGS, Nothing, Tree

from .weights import as_torch


class Net:
    """A decoder that takes its decisions by `.item()`."""

    def __init__(self, params: Any, device: str) -> None:
        turned = ("w_a", "w_f", "u_a", "u_f", "w_label", "w_child", "w_sibling")
        self.p = as_torch(params, turned, device)

    def __call__(self, seed: Any) -> Any:
        zero = torch.zeros_like(self.p.b_a)
        return self.generate(seed, self.p.emb[seed.token], zero, zero, zero, 0, 0, 0)

    def generate(
        self,
        seed: Any,
        parent: torch.Tensor,
        parent_x: torch.Tensor,
        before: torch.Tensor,
        before_x: torch.Tensor,
        at: int,
        level: int,
        number: int,
    ) -> Any:
        """Generate a node, its children and its siblings to the right."""
        p = self.p
        h_a = torch.tanh(linear(torch.cat((parent, parent_x)), p.w_a, p.b_a))
        h_f = torch.tanh(linear(torch.cat((before, before_x)), p.w_f, p.b_f))
        h = torch.tanh(linear(h_a, p.u_a) + linear(h_f, p.u_f))
        label = torch.softmax(linear(h, p.w_label), dim=0)
        x = label @ p.labels
        made: Any = Tree  # with torch's tensors as labels
        child: Any = Nothing()
        sibling: Any = Nothing()
        grows = level < LEVELS and torch.sigmoid(linear(h, p.w_child)).item() > seed.child[at]
        if grows:
            zero = torch.zeros_like(h)
            child = self.generate(seed, h_a, x, zero, zero, 3 * at + 1, level + 1, 0)
        has_right = level > 0 and number < SIBLINGS - 1
        if has_right and torch.sigmoid(linear(h, p.w_sibling)).item() > seed.sibling[at]:
            sibling = self.generate(seed, parent, parent_x, h_f, x, at + 1, level, number + 1)
        return made(label, child, sibling)
