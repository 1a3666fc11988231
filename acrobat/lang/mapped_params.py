"""Objects of an `@ab.params` class that hold something else in place of each weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .hints import resolve_class_hints
from .params import is_params
from .weight_groups import AsItIs, WeightDict

_P = TypeVar("_P")


def mapped_params(params: _P, one: Callable[[str, np.ndarray], Any]) -> _P:
    """An object of the same class, unchecked, with `one(path, weight)` in place of every weight;
    paths are those of `params.weights`. Numbers and missing weights stay as they are."""
    made: _P = _mapped_fields(params, "", one)
    return made


def _mapped_fields(params: Any, path: str, one: Callable[[str, np.ndarray], Any]) -> Any:
    copy = object.__new__(type(params))
    for name, hint in resolve_class_hints(type(params)).items():
        value = getattr(params, name)
        if hint is not AsItIs:
            value = _mapped(value, f"{path}.{name}" if path else name, one)
        object.__setattr__(copy, name, value)
    return copy


def _mapped(value: Any, path: str, one: Callable[[str, np.ndarray], Any]) -> Any:
    if value is None or isinstance(value, (int, float, str)):  # no weight, but among them
        return value
    if isinstance(value, tuple):
        return tuple(_mapped(v, f"{path}.{i}", one) for i, v in enumerate(value))
    if isinstance(value, WeightDict):
        return WeightDict((k, _mapped(v, f"{path}.{k}", one)) for k, v in value.items())
    return _mapped_fields(value, path, one) if is_params(type(value)) else one(path, value)
