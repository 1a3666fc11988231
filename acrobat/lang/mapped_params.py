"""Objects of an `@ab.params` class that hold something else in place of each weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .hints import resolve_class_hints
from .params import is_params
from .weight_groups import AsItIs, WeightDict, is_number, items_of, optional_of, values_of

_P = TypeVar("_P")


def mapped_params(params: _P, one: Callable[[str, np.ndarray], Any]) -> _P:
    """An object of the same class, unchecked, with `one(path, weight)` in place of every weight;
    paths are those of `params.weights`. Numbers and missing weights stay as they are."""
    made: _P = _mapped_fields(params, "", one)
    return made


def _mapped_fields(params: Any, path: str, one: Callable[[str, np.ndarray], Any]) -> Any:
    copy = object.__new__(type(params))
    for name, hint in resolve_class_hints(type(params)).items():
        inner = f"{path}.{name}" if path else name
        object.__setattr__(copy, name, _mapped(getattr(params, name), hint, inner, one))
    return copy


def _mapped(value: Any, hint: Any, path: str, one: Callable[[str, np.ndarray], Any]) -> Any:
    if hint is AsItIs or value is None or is_number(hint):
        return value
    inner, items, of_key = optional_of(hint), items_of(hint), values_of(hint)
    if inner is not None:
        return _mapped(value, inner, path, one)
    if items is not None:
        pairs = enumerate(zip(value, items(len(value)), strict=True))
        return tuple(_mapped(v, h, f"{path}.{i}", one) for i, (v, h) in pairs)
    if of_key is not None:
        return WeightDict((k, _mapped(v, of_key, f"{path}.{k}", one)) for k, v in value.items())
    return _mapped_fields(value, path, one) if is_params(hint) else one(path, value)
