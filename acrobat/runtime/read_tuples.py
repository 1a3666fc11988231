"""Values of several parts while they are read: put together, and described."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InstanceError
from ..ir.types import KeyedType, NamedTupleType, TupleType
from .place import Place
from .scalar_values import shown


def only_value(values: list[Any]) -> Any:
    """Return what stands for a raw value: the value."""
    (value,) = values
    return value


def made_dict(lists: list[Any]) -> Any:
    """Make a dict from its keys and its values."""
    return dict(zip(*lists, strict=True))


def made_set(lists: list[Any]) -> Any:
    """Make a set from its items and as many truth values."""
    return set(lists[0])


def check_keys(value: Any, t: KeyedType, place: Place) -> None:
    """InstanceError unless `value` is a dict with the keys of `t`, in their order."""
    if not isinstance(value, dict):
        raise InstanceError(
            f"{place}: expected a dict with {keys_text(t.keys)}, got {shown(value)}"
        )
    keys = tuple(dict.keys(value))
    if keys != t.keys:
        wanted = keys_text(t.keys) + (", in this order" if set(keys) == set(t.keys) else "")
        raise InstanceError(
            f"{place}: expected a dict with {wanted}, got one with {keys_text(keys)}"
        )


def keys_text(keys: tuple[Any, ...]) -> str:
    """Describe the keys of a dict."""
    shown_keys = ", ".join(map(_key_text, keys[:8])) + (", ..." if len(keys) > 8 else "")
    return f"the keys {shown_keys}" if keys else "no keys"


def _key_text(key: Any) -> str:
    text = repr(key) if type(key) is str else shown(key)
    return text if len(text) <= 40 else f"{text[:37]}..."


def remade(value: tuple[Any, ...]) -> Callable[[list[Any]], Any]:
    """Return a function that makes a tuple like `value`, with the names that its parts have."""
    named = hasattr(type(value), "_fields")
    return lambda parts: tuple.__new__(type(value) if named else tuple, parts)


def shown_type(t: TupleType) -> str:
    """Describe a tuple's type, with its parts."""
    names = f"{t.name}, " if isinstance(t, NamedTupleType) else ""
    return f"{names}a tuple ({', '.join(map(str, t.items))})"


def shown_tuple(instance: Any) -> str:
    if not isinstance(instance, tuple):
        return shown(instance)
    n = tuple.__len__(instance)
    return f"a tuple of {n}"
