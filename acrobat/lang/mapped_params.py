"""Objects of an `@ab.params` class that hold something else in place of each weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .hints import resolve_class_hints
from .params import is_params
from .weight_groups import WeightDict

_P = TypeVar("_P")


def mapped_params(params: _P, one: Callable[[str, np.ndarray], Any]) -> _P:
    """An object of the same class, unchecked, with `one(path, weight)` in place of every weight;
    paths are those of `params.weights`. Numbers and missing weights stay as they are."""
    made: _P = _mapped(params, "", one)
    return made


def _mapped(value: Any, path: str, one: Callable[[str, np.ndarray], Any]) -> Any:
    if value is None or isinstance(value, (int, float)):  # a number among the weights
        return value
    if isinstance(value, tuple):
        return tuple(_mapped(v, f"{path}.{i}", one) for i, v in enumerate(value))
    if isinstance(value, WeightDict):
        return WeightDict((k, _mapped(v, f"{path}.{k}", one)) for k, v in value.items())
    if not is_params(type(value)):
        return one(path, value)
    copy = object.__new__(type(value))
    for name in resolve_class_hints(type(value)):
        inner = f"{path}.{name}" if path else name
        object.__setattr__(copy, name, _mapped(getattr(value, name), inner, one))
    return copy
