"""The loss of every dependency tree's class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.functional import cross_entropy, embedding, linear

TURNED = ("w", "u", "u_f", "w_out")


class LossNet:
    """Child-sum TreeLSTM node by node; the words of a tree are one lookup."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, given: Any) -> torch.Tensor:
        words = torch.tensor(list(_words(given.tree)))
        xs = embedding(words, self.p.inner.emb, sparse=True).unbind()
        h, _ = self.node(given.tree, iter(xs))
        logits = linear(h, self.p.w_out, self.p.b_out)
        return cross_entropy(logits, torch.tensor(given.label), reduction="sum")

    def node(self, tree: Any, xs: Iterator[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return h and c of a node; `xs` yields the words to come, parents first."""
        p = self.p.inner
        i, o, u, f = linear(next(xs), p.w, p.b).chunk(4)
        kept: Any = 0.0
        if tree.children:
            states = [self.node(child, xs) for child in tree.children]
            hs, cs = (torch.stack(x) for x in zip(*states, strict=True))
            i_h, o_h, u_h = linear(hs.sum(0), p.u).chunk(3)
            i, o, u = i + i_h, o + o_h, u + u_h
            kept = (torch.sigmoid(f + linear(hs, p.u_f)) * cs).sum(0)
        c = torch.sigmoid(i) * torch.tanh(u) + kept
        return torch.sigmoid(o) * torch.tanh(c), c


def _words(tree: Any) -> Iterator[int]:
    """Yield the words of a tree, parents first, children in order."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node.word
        stack += node.children[::-1]
