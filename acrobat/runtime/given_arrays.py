"""Lists that instances have as arrays: matrices whose number of rows only the instance knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import Dim
from ..ir.types import ANY, ListType, TensorType, Type


def array_type(value: Any, t: ListType) -> TensorType:
    """The type of an array with the sizes of `value` where `t` leaves them to the instance; if
    `value` does not fit, with unknown sizes."""
    dims = _dims(t)
    shape = value.shape if isinstance(value, np.ndarray) else ()
    fits = len(shape) == len(dims) and all(
        d in (ANY, Dim.of(n)) for d, n in zip(dims, shape, strict=True)
    )
    return TensorType(tuple(map(Dim.of, shape)) if fits else dims)


def items_of_array(array: np.ndarray, t: ListType) -> list[Any]:
    """The list that `array` stands for."""
    items = np.moveaxis(array, t.along or 0, 0)
    if isinstance(t.item, ListType):
        return [items_of_array(item, t.item) for item in items]
    return [np.array(item) for item in items]


def _dims(t: Type) -> tuple[Dim, ...]:
    """The dimensions of the arrays that are given for a list."""
    if isinstance(t, TensorType):
        return t.dims
    assert isinstance(t, ListType)
    inner = _dims(t.item)
    return (ANY, *inner) if t.along == 0 else (*inner, ANY)
