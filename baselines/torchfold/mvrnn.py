"""MV-RNN: a word's and a phrase's vector and matrix are the two parts of a node."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.functional import embedding, linear

from ..torch_eager.weights import as_torch


class Net:
    """The composition; products of the nodes' own matrices are batched."""

    def __init__(self, params: Any) -> None:
        self.p = as_torch(params, ("w", "w_m"), "cpu")

    def leaf(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors [n, H] and matrices [n, H, H] of words."""
        return embedding(words, self.p.vectors), self.p.matrices[words % 256]

    def children(
        self, a: torch.Tensor, a_matrix: torch.Tensor, b: torch.Tensor, b_matrix: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors and matrices of phrases."""
        crossed = torch.cat((a[:, None] @ b_matrix, b[:, None] @ a_matrix), 2)[:, 0]
        matrix = linear(torch.cat((a_matrix, b_matrix), 2), self.p.w_m)
        return torch.tanh(linear(crossed, self.p.w, self.p.b)), matrix


def encode(fold: Any, tree: Any) -> Any:
    """Add a tree, and return the nodes of its vector and matrix."""
    if not hasattr(tree, "left"):
        return fold.add("leaf", tree.word).split(2)
    left, right = encode(fold, tree.left), encode(fold, tree.right)
    return fold.add("children", *left, *right).split(2)


def record(fold: Any, tree: Any) -> tuple[list[Any]]:
    """Record the root's vector."""
    return ([encode(fold, tree)[0]],)


def result(vector: np.ndarray) -> np.ndarray:
    """Return the vector."""
    row: np.ndarray = vector[0]
    return row
