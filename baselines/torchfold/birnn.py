"""BiRNN: a word's nodes are its embedding, a step of each direction, and the classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.functional import embedding, linear

from ..torch_eager.weights import as_torch


class Net:
    """Two cells and a classifier."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w", "u", "w_out"), "cpu")

    def word(self, words: torch.Tensor) -> torch.Tensor:
        """Return the embeddings of words."""
        return embedding(words, self.p.emb)

    def zero(self) -> torch.Tensor:
        """Return the initial state, one row."""
        return torch.zeros(1, len(self.p.forward.b))

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Take a step from the left."""
        return self._step(self.p.forward, x, h)

    def backward(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Take a step from the right."""
        return self._step(self.p.backward, x, h)

    @staticmethod
    def _step(d: Any, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        return torch.tanh(linear(x, d.w, d.b) + linear(h, d.u))

    def classify(self, forward: torch.Tensor, backward: torch.Tensor) -> torch.Tensor:
        """Return the distributions of words."""
        logits = linear(torch.cat((forward, backward), 1), self.p.w_out, self.p.b_out)
        return torch.softmax(logits, 1)


def states(fold: Any, direction: str, xs: list[Any]) -> list[Any]:
    """Add a node per word, in the order of `xs`."""
    h, found = fold.add("zero"), []
    for x in xs:
        h = fold.add(direction, x, h)
        found.append(h)
    return found


def record(fold: Any, words: list[int]) -> tuple[list[Any]]:
    """Record the distribution of every word."""
    xs = [fold.add("word", word) for word in words]
    forward = states(fold, "forward", xs)
    backward = states(fold, "backward", xs[::-1])[::-1]
    pairs = zip(forward, backward, strict=True)
    return ([fold.add("classify", f, b) for f, b in pairs],)


def result(labels: np.ndarray) -> list[np.ndarray]:
    """Return a distribution per word."""
    return list(labels)
