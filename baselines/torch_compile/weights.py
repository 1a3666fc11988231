"""Weights for compiled regions: plain modules in place of the chosen matrix kernels, so that
inductor sees the product and what follows it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn.functional import gelu

from ..shared.place import Place
from ..torch_batched.weights import Weights

_ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "none": lambda z: z,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "gelu": gelu,
}


class Layer(nn.Module):
    """`activation(x @ weight + bias)` for x [n, K], weight [K, N], bias [N] or none."""

    def __init__(
        self, place: Place, weight: np.ndarray, bias: np.ndarray | None, then: str
    ) -> None:
        super().__init__()
        # A parameter, because freezing turns parameters into constants; and [K, N], which the
        # library reads without a transposition: nn.Linear's [N, K] was up to 2.5 times as slow.
        self.weight = table(place.weight(weight))
        self.bias = None if bias is None else table(place.weight(bias))
        self.then = _ACTIVATIONS[then]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = x @ self.weight if self.bias is None else torch.addmm(self.bias, x, self.weight)
        return self.then(z)


class SumLayer(nn.Module):
    """`other + x @ weight` for x [n, K], other [n, N], weight [K, N]."""

    def __init__(self, place: Place, weight: np.ndarray) -> None:
        super().__init__()
        self.weight = table(place.weight(weight))

    def forward(self, x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return torch.addmm(other, x, self.weight)


class PlainWeights(Weights):
    """Weights as modules for use in regions; no products are recorded."""

    def linear(
        self, name: str, weight: np.ndarray, bias: np.ndarray | None = None, then: str = "none"
    ) -> Layer:
        return Layer(self.place, weight, bias, then)

    def sum(self, name: str, weight: np.ndarray) -> SumLayer:
        return SumLayer(self.place, weight)


def table(weight: torch.Tensor) -> nn.Parameter:
    """Return a weight as a constant of the region."""
    return nn.Parameter(weight, requires_grad=False)
