"""Gradients of weights as an object of their `@ab.params` class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from ..lang.mapped_params import mapped_params
from ..lang.sparse_rows import SparseRows
from ..tape.contributions import Sum

_P = TypeVar("_P")
WeightGradient = np.ndarray | SparseRows


def as_params(params: _P, gradients: Mapping[str, WeightGradient]) -> _P:
    """Put `gradients`, given by path, into an object of the class of `params`; None for every other
    weight."""
    return mapped_params(params, lambda path, weight: gradients.get(path))


def finished(total: Sum) -> WeightGradient:
    """The gradient from a sum of contributions: sparse rows, if these are all it has."""
    if total.rows is None:
        return total.dense()
    rows = sorted(total.rows)
    values = np.stack([total.rows[row] for row in rows])
    return SparseRows(np.array(rows, np.int64), values, total.shape)
