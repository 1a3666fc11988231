"""The loss of every tree's class, by its root's vector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.functional import cross_entropy, embedding, linear

from .treelstm import words_of

TURNED = ("w", "w_m", "w_out")
State = tuple[torch.Tensor, torch.Tensor]


class LossNet:
    """MV-RNN node by node; the words of a tree are one lookup in each table."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, given: Any) -> torch.Tensor:
        p = self.p.inner
        words = torch.tensor(list(words_of(given.tree)))
        vectors = embedding(words, p.vectors, sparse=True)
        # Not sparse: autograd's sparse gradients are of rows only.
        matrices = p.matrices.index_select(0, words % len(p.matrices))
        leaves = zip(vectors.unbind(), matrices.unbind(), strict=True)
        vector, _ = self.node(given.tree, leaves)
        logits = linear(vector, self.p.w_out, self.p.b_out)
        return cross_entropy(logits, torch.tensor(given.label), reduction="sum")

    def node(self, tree: Any, leaves: Iterator[State]) -> State:
        """Return the vector and the matrix of one node; `leaves` yields the leaves to come."""
        p = self.p.inner
        if not hasattr(tree, "left"):
            return next(leaves)
        a, a_matrix = self.node(tree.left, leaves)
        b, b_matrix = self.node(tree.right, leaves)
        crossed = torch.cat((a @ b_matrix, b @ a_matrix))
        phrase = torch.tanh(linear(crossed, p.w, p.b))
        return phrase, linear(torch.cat((a_matrix, b_matrix), dim=1), p.w_m)
