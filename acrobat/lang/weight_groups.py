"""What a field of an `@ab.params` class may be besides one weight: lists, tuples and dicts of
weights or of nested params, optional ones, and numbers, which are the same for all instances and
known when the model is compiled."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import ParamsError
from .hints import is_union
from .tensor import TensorHint


def optional_of(hint: Any) -> Any | None:
    """`X` if `hint` is `X | None`, else None."""
    if not is_union(hint):
        return None
    members = [m for m in typing.get_args(hint) if m is not type(None)]
    return members[0] if len(members) == 1 and len(typing.get_args(hint)) == 2 else None


def items_of(hint: Any) -> Callable[[int], list[Any]] | None:
    """A function from a length to the hints of that many items, if `hint` is a list or a tuple. For
    a tuple of fixed length it returns the tuple's own hints, whatever the length."""
    origin, given = typing.get_origin(hint), typing.get_args(hint)
    if origin in (list, Sequence) and len(given) == 1:
        return lambda n: [given[0]] * n
    if origin is tuple and given:
        if len(given) == 2 and given[1] is Ellipsis:
            return lambda n: [given[0]] * n
        return lambda n: list(given)
    return None


def values_of(hint: Any) -> Any | None:
    """The hint of the values of a dict whose keys are strings; None if `hint` is not one."""
    given = typing.get_args(hint)
    named = typing.get_origin(hint) in (dict, Mapping) and given[:1] == (str,)
    return given[1] if named else None


class WeightDict(dict[str, Any]):
    """The weights of a field `dict[str, ...]`. It is immutable: a model is compiled for its keys,
    and weights are checked when the object that holds them is made."""

    __slots__ = ()

    def _refuse(self, *args: Any, **named: Any) -> NoReturn:
        raise TypeError("a dict of weights does not change: make another object of its class")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class AsItIs:
    """The hint of what is no weight, in weights for which a class has been made: a string, a
    function, a vocabulary. A model may use it like a constant of its module."""


NUMBERS = (int, float, bool)


def is_number(hint: Any) -> bool:
    """Whether a field of this hint is a number."""
    return isinstance(hint, type) and hint in NUMBERS


def number(value: Any, hint: Any, name: str) -> Any:
    """`value` as a plain int, float or bool. ParamsError unless its type is `hint`; an int is also
    accepted as a float."""
    plain = value.item() if isinstance(value, np.generic) else value
    if hint is float and type(plain) is int:
        plain = float(plain)
    if type(plain) is not hint:
        raise ParamsError(f"{name}: expected {hint.__name__}, got {type(value).__name__}")
    return plain


def is_weights(hint: Any, is_params: Callable[[object], bool]) -> bool:
    """Whether a field may have this hint."""
    if isinstance(hint, TensorHint) or is_number(hint) or is_params(hint):
        return True
    inner = optional_of(hint) or values_of(hint)
    if inner is not None:
        return is_weights(inner, is_params)
    items = items_of(hint)
    return items is not None and all(is_weights(h, is_params) for h in items(1))


def convert(value: Any, hint: Any, name: str, one: Callable[[Any, Any, str], Any]) -> Any:
    """`value` as the field of this name: lists become tuples, dicts a `WeightDict`, and `one`
    converts each single weight, number or params object. ParamsError if it is not a list or dict as
    the hint wants, or has the wrong length or keys."""
    inner = optional_of(hint)
    if inner is not None:
        return None if value is None else convert(value, inner, name, one)
    items, of_key = items_of(hint), values_of(hint)
    if of_key is not None:
        if not isinstance(value, Mapping):
            raise ParamsError(f"{name}: expected a dict, got {type(value).__name__}")
        return WeightDict(
            (_key(k, name), convert(v, of_key, f"{name}[{k!r}]", one)) for k, v in value.items()
        )
    if items is None:
        return one(value, hint, name)
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ParamsError(f"{name}: expected a list, got {type(value).__name__}")
    values = list(value)
    hints = items(len(values))
    if len(hints) != len(values):
        raise ParamsError(f"{name}: expected {len(hints)} items, got {len(values)}")
    return tuple(
        convert(v, h, f"{name}[{i}]", one)
        for i, (v, h) in enumerate(zip(values, hints, strict=True))
    )


def _key(key: Any, name: str) -> str:
    """The key of a dict of weights, which is part of their paths."""
    if not isinstance(key, str) or not key or "." in key:
        raise ParamsError(
            f"{name}: the keys of weights are strings, not empty and without a dot, got {key!r}"
        )
    return str.__str__(key)


def leaves(value: Any, hint: Any, path: str) -> list[tuple[str, Any, Any]]:
    """The weights and nested params of a field, as `(path, hint, value)`; paths are like "layers.0"
    in a list, "w.left" in a dict. Numbers, and what is missing, are left out."""
    inner, of_key = optional_of(hint), values_of(hint)
    if inner is not None:
        return [] if value is None else leaves(value, inner, path)
    if of_key is not None:
        return [leaf for k, v in value.items() for leaf in leaves(v, of_key, f"{path}.{k}")]
    items = items_of(hint)
    if is_number(hint) or hint is AsItIs:
        return []
    if items is None:
        return [(path, hint, value)]
    hints = items(len(value))
    found: list[tuple[str, Any, Any]] = []
    for i, (v, h) in enumerate(zip(value, hints, strict=True)):
        found += leaves(v, h, f"{path}.{i}")
    return found
