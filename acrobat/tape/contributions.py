"""Contributions of operations to the gradient of an operand, and their sum.

Most contributions are arrays. Two kinds have a form of their own, because as an array each would be
as large as the weight, for every word and every node: a part, such as the row of a table, and the
product of a column and a row, which is what each product with a weight contributes to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Part:
    """`value` at the elements that `key` (ints, slices, None) selects, zero elsewhere."""

    key: Any
    value: Array


@dataclass(frozen=True, slots=True)
class Product:
    """x.T @ dy, of x [R, K] and dy [R, N]."""

    x: Array
    dy: Array


Contribution = Array | Part | Product


class Sum:
    """The sum of contributions to a tensor of shape `shape`. `joins` combines the products of a
    mini-batch into one: for weights, which get many."""

    __slots__ = ("_dense", "_is_own", "_products", "_rows", "dtype", "joins", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any, joins: bool = False) -> None:
        self.shape, self.dtype, self.joins = shape, dtype, joins
        self._dense: Array | None = None
        self._is_own = False  # whether nothing else refers to `_dense`
        self._products: list[Product] = []
        self._rows: dict[int, Array] = {}

    def add(self, given: Contribution) -> None:
        """Add a contribution."""
        match given:
            case Product() if self.joins:
                self._products.append(given)
            case Product(x, dy):
                self._add_array(x.T @ dy)
            case Part(int() as row, value):
                row %= self.shape[0]
                held = self._rows.get(row)
                self._rows[row] = value if held is None else held + value
            case Part(key, value):
                self._own()[key] += value
            case _:
                self._add_array(given)

    def _add_array(self, value: Array) -> None:
        if self._dense is None:
            self._dense, self._is_own = value, False
        else:
            self._own()[...] += value

    def _own(self) -> Array:
        """Return the array in a form that may be modified; a contribution may belong to another
        operand, too, so it is copied first."""
        if self._dense is None or not self._is_own:
            made = np.zeros(self.shape, self.dtype)
            if self._dense is not None:
                made += self._dense
            self._dense, self._is_own = made, True
        return self._dense

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been added."""
        return self._dense is None and not self._products and not self._rows

    @property
    def rows(self) -> Mapping[int, Array] | None:
        """The rows that were added to; None if there are other contributions, or none."""
        return self._rows if self._rows and self._dense is None and not self._products else None

    def dense(self) -> Array:
        """Return the sum as an array."""
        if self._products:
            x = np.concatenate([p.x for p in self._products])
            dy = np.concatenate([p.dy for p in self._products])
            self._products = []
            self._add_array(x.T @ dy)
        if self._rows:
            made = self._own()
            for row, value in self._rows.items():
                made[row] += value
            self._rows = {}
        if self._dense is None:
            self._dense = np.zeros(self.shape, self.dtype)
        return self._dense
