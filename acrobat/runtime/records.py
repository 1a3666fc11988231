"""Convert values to the form that a program has, and back, for executors that take Python objects:
a field for every leaf of a tuple, a list for every leaf of the items of a list of tuples. This is
what `transform.flatten_tuples` does, applied to values."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..ir.type_queries import leaf_types
from ..ir.typed import DataDef
from ..ir.types import (
    BOOL,
    FLOAT,
    TEXT,
    DictType,
    KeyedType,
    ListType,
    NamedTupleType,
    OptionalType,
    QueueType,
    SetType,
    TensorType,
    TupleType,
    Type,
)
from ..lang.data import is_data, runs_post_init

_NOTHING: Mapping[Type, Any] = {BOOL: False, FLOAT: 0.0, TEXT: ""}


class Record:
    """Data with fields that are several fields in the program. Each data type gets a subclass."""

    data: DataDef

    def __init__(self, *leaves: Any) -> None:
        self.__dict__.update(zip((n for n, _ in self.data.fields), leaves, strict=True))

    def given(self, one: Callable[[Any, Type], Any]) -> list[Any]:
        """Return the fields of the author's class; `one` makes the value of a leaf."""
        leaves = iter(self.__dict__.values())
        return [together(leaves, t, one) for _, t in self.data.given]


def put_together(t: TupleType, parts: tuple[Any, ...]) -> Any:
    """Return the value that has these parts: a tuple, or an object of the author's class, made
    without running code of its own."""
    if isinstance(t, KeyedType):
        return dict(zip(t.keys, parts, strict=True))
    if not isinstance(t, NamedTupleType):
        return parts
    if issubclass(t.cls, tuple):
        return tuple.__new__(t.cls, parts)
    made: Any = object.__new__(t.cls)
    for name, part in zip(t.fields, parts, strict=True):
        if name.isidentifier():  # else it stands for an object without fields
            object.__setattr__(made, name, part)
    return made


def filled(data: DataDef, values: Sequence[Any]) -> Any:
    """Return an object of the author's class with these fields, made without its `__init__`."""
    made: Any = object.__new__(data.cls)
    for (name, _), value in zip(data.given, values, strict=True):
        object.__setattr__(made, name, value)
    return made


def stored_classes(datas: Mapping[str, DataDef]) -> dict[str, type]:
    """Return the classes of the objects that the program has for data types: the author's own
    `@ab.data` classes, if they have the fields that the program knows, and no code of their own
    runs when an object is made."""
    return {
        name: d.cls
        if not d.raw
        and d.declared is None
        and (not d.fields or (is_data(d.cls) and not runs_post_init(d.cls)))
        else type(name, (Record,), {"data": d})
        for name, d in datas.items()
    }


def described(data: DataDef) -> tuple[type, tuple[str, ...], bool, int]:
    """A data type as the compiled program takes it. Objects of plain classes are made without
    `__init__`, and so are those with a `__post_init__`: it has run in the author's code, or in the
    model. The last number is the length of a raw tuple, -1 of other raw values, -2 of data."""
    unmade = not is_data(data.cls) or runs_post_init(data.cls)
    names = tuple(n.partition(".")[0] for n, _ in data.fields)
    length = -2 if not data.raw else -1 if data.length is None else data.length
    return data.cls, names, unmade, length


class Columns:
    """Leaves of values. A list of tuples that is met twice becomes the same lists."""

    def __init__(self) -> None:
        # By the identity of the list, which is kept alive for this, and by the type of its items.
        self._of: dict[int, tuple[list[Any], dict[Type, list[list[Any]]]]] = {}

    def of(self, made: list[Any]) -> list[list[Any]]:
        """Return the lists that stand for a list of tuples."""
        found = self._of.get(id(made))
        return [] if found is None else [c for columns in found[1].values() for c in columns]

    def leaves(self, value: Any, t: Type) -> list[Any]:
        """Return the leaves of a value, in the order of `leaf_types`."""
        if isinstance(t, OptionalType):
            inside = _nothing(t.item) if value is None else self.leaves(value, t.item)
            return [value is not None, *inside]
        if isinstance(t, TupleType):
            if isinstance(t, DictType):
                value = lists_of(value)
            elif isinstance(t, KeyedType):
                value = value.values()
            parts = zip(value, t.items, strict=True)
            return [leaf for part, item in parts for leaf in self.leaves(part, item)]
        if not isinstance(t, ListType) or leaf_types(t) == (t,):
            return [value]
        _, known = self._of.setdefault(id(value), (value, {}))
        if t.item not in known:
            columns: list[list[Any]] = [[] for _ in leaf_types(t)]
            for item in value:
                for column, leaf in zip(columns, self.leaves(item, t.item), strict=True):
                    column.append(leaf)
            known[t.item] = columns
        return list(known[t.item])


def lists_of(value: Any) -> tuple[list[Any], list[Any]]:
    """Return the two lists that represent a dict or a set."""
    if isinstance(value, dict):
        return list(dict.keys(value)), list(dict.values(value))
    items = list((set if isinstance(value, set) else frozenset).__iter__(value))
    return items, [True] * len(items)


def together(leaves: Iterator[Any], t: Type, one: Callable[[Any, Type], Any]) -> Any:
    """Return the value of type `t` that has these leaves; `one` makes the value of a leaf. The
    leaves of a value that is None are skipped."""
    if isinstance(t, OptionalType):
        there = next(leaves)
        if there:
            return together(leaves, t.item, one)
        for _ in leaf_types(t.item):
            next(leaves)
        return None
    if isinstance(t, DictType):
        keys, values = (together(leaves, i, one) for i in t.items)
        if isinstance(t, QueueType):
            return collections.deque(values, keys[0] if keys else None)
        if isinstance(t, SetType):
            return frozenset(keys) if t.frozen else set(keys)
        return dict(zip(keys, values, strict=True))
    if isinstance(t, TupleType):
        return put_together(t, tuple(together(leaves, i, one) for i in t.items))
    if isinstance(t, ListType) and leaf_types(t) != (t,):
        columns = [next(leaves) for _ in leaf_types(t)]
        items = [together(iter(row), t.item, one) for row in zip(*columns, strict=True)]
        return tuple(items) if t.frozen else items
    return one(next(leaves), t)


def _nothing(t: Type) -> list[Any]:
    """Return some leaves in place of those of a value that is None: nothing reads them."""
    found: list[Any] = []
    for leaf in leaf_types(t):
        if isinstance(leaf, TensorType):
            found.append(np.zeros([d.known or 0 for d in leaf.dims], np.float32))
        else:
            found.append([] if isinstance(leaf, ListType) else _NOTHING.get(leaf, 0))
    return found
