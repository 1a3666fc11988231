"""Child-sum TreeLSTM: a method takes the same number of arguments for all nodes, so children are
added one after the other, as in torchfold's own first example."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import embedding, linear

from ..torch_eager.weights import as_torch
from .treelstm import result

__all__ = ["Net", "record", "result"]


class Net:
    """The gates of words, the sums over children, and the cells."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w", "u", "u_f"), "cpu")

    def word(self, words: torch.Tensor) -> torch.Tensor:
        """Return the words' contributions to the gates i, o, u, f."""
        return linear(embedding(words, self.p.emb), self.p.w, self.p.b)

    def first(
        self, gates: torch.Tensor, h: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sums over the first child alone: of h, and of f times c."""
        f = gates.chunk(4, 1)[3]
        return h, torch.sigmoid(f + linear(h, self.p.u_f)) * c

    def child(
        self,
        total: torch.Tensor,
        kept: torch.Tensor,
        gates: torch.Tensor,
        h: torch.Tensor,
        c: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sums with one more child."""
        h, c = self.first(gates, h, c)
        return total + h, kept + c

    def leaf(self, gates: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (h, c) of nodes without children."""
        i, o, u, _ = gates.chunk(4, 1)
        c = i.sigmoid() * u.tanh()
        return o.sigmoid() * c.tanh(), c

    def node(
        self, gates: torch.Tensor, total: torch.Tensor, kept: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (h, c) of nodes with children."""
        i, o, u, _ = gates.chunk(4, 1)
        i_h, o_h, u_h = linear(total, self.p.u).chunk(3, 1)
        c = torch.sigmoid(i + i_h) * torch.tanh(u + u_h) + kept
        return torch.sigmoid(o + o_h) * torch.tanh(c), c


def encode(fold: Any, tree: Any) -> Any:
    """Add a tree, and return its nodes (h, c)."""
    gates = fold.add("word", tree.word)
    sums: Any = None
    for child in tree.children:
        state = encode(fold, child)
        if sums is None:
            sums = fold.add("first", gates, *state).split(2)
        else:
            sums = fold.add("child", *sums, gates, *state).split(2)
    if sums is None:
        return fold.add("leaf", gates).split(2)
    return fold.add("node", gates, *sums).split(2)


def record(fold: Any, tree: Any) -> tuple[list[Any], list[Any]]:
    """Record the root's (h, c)."""
    h, c = encode(fold, tree)
    return [h], [c]
