"""Applying an operation: with numpy, or through the model's observer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops import OPS
from ..observe import OBSERVER
from ..tensor import Tensor


def apply(name: str, *args: object, **attrs: object) -> Tensor:
    args = tuple(map(_numbers, args))
    observer = OBSERVER.get()
    if observer is not None:
        return observer.operation(name, args, attrs)  # type: ignore[no-any-return]
    result = OPS[name].numpy(*args, **attrs)
    if isinstance(result, np.ndarray) and result.ndim == 0:
        return result[()]  # a number, as numpy's own functions give: it never changes in place
    return result


def _numbers(x: object) -> object:
    """Truth values, the results of numpy's comparisons, as 1.0 and 0.0; anything else as it is."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.bool_:
        return x.astype(np.float32)
    return x


def numbers_of(x: object) -> np.ndarray:
    """The numbers of a tensor, which may be one that a tape records."""
    return np.asarray(getattr(x, "value", x))


def tensors_of(xs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors that an operation gets: one by one, or as a list."""
    return tuple(xs[0]) if len(xs) == 1 and isinstance(xs[0], (list, tuple)) else xs


def sizes_of(dims: tuple[Any, ...]) -> tuple[int, ...]:
    """The dimensions that an operation gets: one by one, or as a shape."""
    return tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims
