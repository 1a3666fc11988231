"""An RNN inside a GRU: a node per word and one per sentence, in a chain through a document."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import embedding, linear

from ..torch_eager.weights import as_torch
from .mvrnn import result

__all__ = ["Net", "record", "result"]


class Net:
    """Both cells."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w", "u", "w_gru", "u_gru"), "cpu")

    def zero(self) -> torch.Tensor:
        """Return the initial state, one row."""
        return torch.zeros(1, len(self.p.b))

    def read(self, words: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Take a step of the inner RNN."""
        p = self.p
        return torch.tanh(linear(embedding(words, p.emb), p.w, p.b) + linear(h, p.u))

    def gru(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Take a step of the outer GRU."""
        p = self.p
        x_r, x_z, x_n = linear(x, p.w_gru, p.b_gru).chunk(3, 1)
        h_r, h_z, h_n = linear(h, p.u_gru).chunk(3, 1)
        z = torch.sigmoid(x_z + h_z)
        n = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
        return (1 - z) * n + z * h


def record(fold: Any, document: Any) -> tuple[list[Any]]:
    """Record the last state."""
    h = fold.add("zero")
    for words in document.sentences:
        inner = h
        for word in words:
            inner = fold.add("read", word, inner)
        h = fold.add("gru", inner, h)
    return ([h],)
