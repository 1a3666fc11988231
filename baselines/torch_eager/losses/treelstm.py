"""The loss of the sentiment at every node of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.functional import cross_entropy, embedding, linear

TURNED = ("w_leaf", "w", "w_out")


class LossNet:
    """The states of a tree's nodes one after the other; all are classified in one call."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, tree: Any) -> torch.Tensor:
        p = self.p
        xs = embedding(torch.tensor(list(words_of(tree))), p.inner.emb, sparse=True).unbind()
        hs: list[torch.Tensor] = []
        labels: list[int] = []
        self.node(tree, iter(xs), hs, labels)
        logits = linear(torch.stack(hs), p.w_out, p.b_out)
        return cross_entropy(logits, torch.tensor(labels), reduction="sum")

    def node(
        self, tree: Any, xs: Iterator[torch.Tensor], hs: list[torch.Tensor], labels: list[int]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return h and c of a node; append h to `hs` and the label to `labels`. `xs` yields the
        words to come."""
        p = self.p.inner
        if hasattr(tree, "left"):
            h_l, c_l = self.node(tree.left, xs, hs, labels)
            h_r, c_r = self.node(tree.right, xs, hs, labels)
            i, o, u, f_l, f_r = linear(torch.cat((h_l, h_r)), p.w, p.b).chunk(5)
            c = (
                torch.sigmoid(i) * torch.tanh(u)
                + torch.sigmoid(f_l) * c_l
                + torch.sigmoid(f_r) * c_r
            )
        else:
            i, o, u = linear(next(xs), p.w_leaf, p.b_leaf).chunk(3)
            c = torch.sigmoid(i) * torch.tanh(u)
        h = torch.sigmoid(o) * torch.tanh(c)
        hs.append(h)
        labels.append(tree.label)
        return h, c


def words_of(tree: Any) -> Iterator[int]:
    """Yield the words of a tree from left to right."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if hasattr(node, "left"):
            stack += [node.right, node.left]
        else:
            yield node.word
