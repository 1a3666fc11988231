"""The loss of labels and growth of given trees."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import (
    binary_cross_entropy_with_logits,
    cross_entropy,
    embedding,
    linear,
)

from workloads.drnn import LEVELS, SIBLINGS

TURNED = ("w_a", "w_f", "u_a", "u_f", "w_label", "w_child", "w_sibling")


class LossNet:
    """Node by node; the losses of a tree's labels and decisions are computed together."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, task: Any) -> torch.Tensor:
        p = self.p
        root = embedding(torch.tensor(task.token), p.emb, sparse=True)
        zero = torch.zeros_like(p.b_a)
        hs: list[torch.Tensor] = []
        nodes: list[Any] = []
        places: list[tuple[int, int]] = []
        scores: list[torch.Tensor] = []
        work = [(task.tree, root, zero, zero, zero, 0, 0)]
        while work:
            node, parent, parent_x, before, before_x, level, number = work.pop()
            h_a = torch.tanh(linear(torch.cat((parent, parent_x)), p.w_a, p.b_a))
            h_f = torch.tanh(linear(torch.cat((before, before_x)), p.w_f, p.b_f))
            h = torch.tanh(linear(h_a, p.u_a) + linear(h_f, p.u_f))
            scores.append(linear(h, p.w_label))
            x = torch.softmax(scores[-1], dim=0) @ p.labels
            hs.append(h)
            nodes.append(node)
            places.append((level, number))
            if node.has_child:
                work.append((node.child, h_a, x, zero, zero, level + 1, 0))
            if node.has_sibling:
                work.append((node.sibling, parent, parent_x, h_f, x, level, number + 1))
        states, labels = torch.stack(hs), torch.tensor([node.label for node in nodes])
        total = cross_entropy(torch.stack(scores), labels, reduction="sum")
        numbered = list(zip(nodes, places, strict=True))
        for weight, decided in (
            (p.w_child, [(i, n.has_child) for i, (n, at) in enumerate(numbered) if at[0] < LEVELS]),
            (
                p.w_sibling,
                [
                    (i, n.has_sibling)
                    for i, (n, at) in enumerate(numbered)
                    if at[0] > 0 and at[1] < SIBLINGS - 1
                ],
            ),
        ):
            if decided:
                rows, given = torch.tensor(decided).unbind(1)
                odds = linear(states[rows], weight)[:, 0]
                total = total + binary_cross_entropy_with_logits(
                    odds, given.to(odds.dtype), reduction="sum"
                )
        return total
