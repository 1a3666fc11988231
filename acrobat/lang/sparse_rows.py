"""The gradient of a table from which a mini-batch reads a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """`values[i]` is the gradient of row `rows[i]` of a weight of this shape; that of every other
    row is zero. `rows` ascend. numpy converts it to the array that `dense` makes."""

    rows: np.ndarray
    values: np.ndarray
    shape: tuple[int, ...]

    def dense(self) -> np.ndarray:
        """The gradient as an array of the weight's shape."""
        made = np.zeros(self.shape, self.values.dtype)
        made[self.rows] = self.values
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the gradient of rows is no array; dense() makes one")
        return self.dense() if dtype is None else self.dense().astype(dtype)
