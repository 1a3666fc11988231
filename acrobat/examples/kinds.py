"""What kind of value an example has at one place, and what it consists of."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import Any

import numpy as np

from ..errors import InstanceError
from ..frontend.plain_classes import is_plain_class
from ..ir.dims import Dim
from ..ir.types import TensorType
from ..lang.data import is_data
from ..runtime.place import Place
from ..runtime.scalar_values import Misfit, scalar_value, shown

# In this order: a truth value is an int to Python.
_SCALARS = (bool, int, float, str)
_COLLECTIONS = (list, dict, set, frozenset)
# How many keys a dict may have for each to have a type of its own.
MOST_KEYS = 64


@dataclass(frozen=True, slots=True)
class Kind:
    """A class whose values have one form: of a number, a string, an array, a collection, or the
    author's own; of tuples also the length."""

    cls: type
    length: int = -1

    @property
    def is_container(self) -> bool:
        """Whether a value may contain another one of its kind without a class of its own."""
        return self.cls is tuple or self.cls in _COLLECTIONS


def kind_of(value: Any, place: Place) -> Kind:
    """The kind of a value; InstanceError if no instance has it."""
    cls = type(value)
    if value is None or isinstance(value, enum.Enum):
        return Kind(cls)
    for scalar in _SCALARS:
        if isinstance(value, scalar):
            return Kind(scalar)
    if isinstance(value, np.ndarray):
        _check_array(value, place)
        return Kind(np.ndarray)
    if isinstance(value, np.generic):
        if isinstance(value, np.integer):
            return Kind(int)
        raise misfit(place, _a(value), "a number of Python's, x.item()")
    if isinstance(value, tuple):
        if hasattr(cls, "_fields"):
            return Kind(cls)
        return Kind(tuple, tuple.__len__(value))
    for collection in _COLLECTIONS:
        if isinstance(value, collection):
            return Kind(collection)
    if is_data(cls) or is_plain_class(cls):
        return Kind(cls)
    raise misfit(place, f"{_a(value)}, which no instance has", _instead(value))


def _check_array(value: np.ndarray, place: Place) -> None:
    """InstanceError for an array that no instance has."""
    if value.dtype.kind in "iub":
        raise misfit(place, f"an array of {value.dtype}", "a list of numbers, x.tolist()")
    try:
        scalar_value(value, TensorType(tuple(map(Dim.of, value.shape))))
    except Misfit as error:
        raise InstanceError(f"{shown_place(place)}: {error}") from None


class EmptyError(InstanceError):
    """What a collection consists of that is empty in all examples, these do not tell."""


def misfit(place: Place, what: str, instead: str) -> InstanceError:
    """The error about what is at one place of the examples."""
    return InstanceError(f"{shown_place(place)}: {what}; {instead}")


def shown_place(place: Place) -> str:
    """The path to a place: `examples[3].left`."""
    return "examples" + str(place).removeprefix("instances")


def _a(value: Any) -> str:
    text = shown(value)
    return f"an {text}" if text[0] in "aeiou" else f"a {text}"


def _instead(value: Any) -> str:
    if type(value).__module__.partition(".")[0] == "torch":
        return "an array, x.detach().cpu().numpy()"
    if hasattr(value, "__iter__"):
        return "a list, list(x)"
    return (
        "numbers, strings, arrays of float32, lists, tuples, dicts, sets, None and objects of "
        "@ab.data classes, dataclasses or classes whose `__init__` sets fields"
    )


def parts_of(
    value: Any, kind: Kind, place: Place, is_map: bool
) -> Iterator[tuple[Any, Any, Place]]:
    """What a collection or a tuple consists of: the name of the part, its value and place. The
    values of a dict that is a map have one name, those of others their keys."""
    if kind.cls is tuple:
        parts = enumerate(tuple.__getitem__(value, slice(None)))
        return ((i, v, Place(place, i)) for i, v in parts)
    if kind.cls is list:
        items = enumerate(list.__getitem__(value, slice(None)))
        return (("item", v, Place(place, i)) for i, v in items)
    if kind.cls is dict:
        pairs = list(dict.items(value))
        values = [(k, v, Place(place, f"[{k!r}]")) for k, v in pairs]
        if not is_map:
            return iter(values)
        keys = Place(place, "keys()")
        every = [("key", k, Place(keys, i)) for i, (k, _) in enumerate(pairs)]
        return iter(every + [("value", v, p) for _, v, p in values])
    if kind.cls in (set, frozenset):
        return (("item", v, place) for v in value)
    return iter(())


def field_names(value: Any) -> tuple[str, ...]:
    """The names of the fields that an object has."""
    cls = type(value)
    if isinstance(value, tuple):
        return tuple(cls._fields)
    if is_dataclass(cls):
        return tuple(f.name for f in fields(cls))
    slots = [c.__dict__.get("__slots__", ()) for c in reversed(cls.__mro__)]
    names = [n for s in slots for n in ((s,) if isinstance(s, str) else s) if hasattr(value, n)]
    return (*names, *(n for n in getattr(value, "__dict__", {}) if n not in names))


def is_object(kind: Kind) -> bool:
    """Whether values of a kind are objects of a class of the author's own that has fields."""
    cls = kind.cls
    if kind.is_container or issubclass(cls, (enum.Enum, NoneType, np.ndarray)):
        return False
    return cls not in _SCALARS
