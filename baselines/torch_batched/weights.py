"""The weights of one batched model, and a record of the products in which they are used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

from ..shared.gemm import Linear, Product, Sum
from ..shared.place import Place


@dataclass(slots=True)
class Weights:
    """The linear layers by name, and the other products.

    While `record` is set (for `floor`), `products` collects functions that repeat every product on
    random inputs of the same shape, and `rows` collects each product's layer and number of rows;
    the layer is empty for a product of tensors none of which is a weight.
    """

    place: Place
    linears: dict[str, Product] = field(default_factory=dict)
    record: bool = False
    products: list[Callable[[], object]] = field(default_factory=list)
    rows: list[tuple[str, int]] = field(default_factory=list)

    def linear(
        self, name: str, weight: np.ndarray, bias: np.ndarray | None = None, then: str = "none"
    ) -> Callable[[torch.Tensor], torch.Tensor]:
        """Return `then(x @ weight + bias)` as a function of x [n, K]."""
        full = self.linears[name] = Linear(self.place, weight, bias, then)
        bare = full if then == "none" else Linear(self.place, weight, bias)

        def call(x: torch.Tensor) -> torch.Tensor:
            if self.record:
                like = self._random(x)
                self.products.append(lambda: bare(like))
                self.rows.append((name, len(x)))
            return full(x)

        return call

    def sum(
        self, name: str, weight: np.ndarray
    ) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
        """Return `other + x @ weight` as a function of x [n, K] and other [n, N]."""
        full = self.linears[name] = Sum(self.place, weight)
        bare = Linear(self.place, weight)

        def call(x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
            if self.record:
                like = self._random(x)
                self.products.append(lambda: bare(like))
                self.rows.append((name, len(x)))
            return full(x, other)

        return call

    def product(
        self, function: Callable[..., torch.Tensor], *operands: torch.Tensor
    ) -> torch.Tensor:
        """Compute `function(*operands)`, a product of tensors none of which is a weight."""
        if self.record:
            like = [self._random(x) for x in operands]
            self.products.append(lambda: function(*like))
            self.rows.append(("", len(operands[0])))
        return function(*operands)

    def _random(self, x: torch.Tensor) -> torch.Tensor:
        return torch.rand(x.shape, device=self.place.device) - 0.5

    def describe(self) -> dict[str, str]:
        """Return the chosen matrix kernels, by the layers' names."""
        return {f"{name}_gemm": linear.describe() for name, linear in self.linears.items()}
