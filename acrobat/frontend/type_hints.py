"""From a type to a hint that stands for it, or for several types: their union."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any, Union

from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NOTHING,
    TEXT,
    DataRef,
    DictType,
    FloatType,
    IntArrayType,
    ListType,
    MemberType,
    NamedTupleType,
    NothingType,
    OptionalType,
    RecordType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from ..lang.hints import is_union
from ..lang.tensor import TensorHint
from .declarations import Declarations
from .met_fields import IntArray, NotMet

_NUMBER = TensorType(())
_SCALARS: dict[Type, type] = {INT: int, FLOAT: float, BOOL: bool, TEXT: str}


class NoHint(Exception):
    """No hint stands for values of these types."""


def hint_of(known: Declarations, types: Collection[Type], datas: Collection[type]) -> Any:
    """A hint for values of all these types; NoHint if there is none. `datas` are the classes that
    are data types where the hint is read."""
    kinds: dict[Any, list[Type]] = {}
    for t in _members(types):
        kinds.setdefault(_kind(t), []).append(t)
    if _NUMBER in kinds:
        kinds.pop(FloatType, None)  # a number beside tensors of rank 0 becomes one
    hints = [_of_kind(known, kind, found, datas) for kind, found in kinds.items()]
    numbers = {h for h in hints if h in (int, float, bool)}
    if types and not hints:
        return NotMet
    if len(numbers) > 1:
        raise NoHint  # they are converted where paths meet
    others = [h for h in hints if h is not type(None)]
    if len(others) > 1 and any(h is IntArray or isinstance(h, TensorHint) for h in hints):
        raise NoHint  # no union has arrays
    return Union[tuple(hints)]  # noqa: UP007  (of objects that are no types)


def _members(types: Collection[Type]) -> list[Type]:
    """The types, with what may be None as two, and without that of what is not there."""
    found: list[Type] = []
    for t in types:
        match t:
            case NothingType():
                pass
            case OptionalType():
                found += [NONE, *_members([t.item])]
            case UnionType(members):
                found += [DataRef(m) for m in members]
            case _:
                found.append(t)
    return found


def _kind(t: Type) -> Any:
    """What values have in common whose types become one hint."""
    match t:
        case TensorType() | DataRef() | NamedTupleType() | MemberType():
            return t if not isinstance(t, RecordType) else t.cls
        case ListType():
            return tuple if t.frozen else list
    return tuple if type(t) is TupleType else type(t)


def _of_kind(known: Declarations, kind: Any, types: list[Type], datas: Collection[type]) -> Any:
    first = types[0]
    if first in _SCALARS:
        return _SCALARS[first]
    if first == NONE:
        return type(None)
    match first:
        case DataRef(name) if not known.datas[name].raw:
            return known.datas[name].cls
        case DataRef(name):
            fields = known.datas[name].fields
            return hint_of(known, [t for _, t in fields], datas)
        case RecordType(cls=cls):
            if cls not in datas:
                raise NoHint
            return cls
        case NamedTupleType(cls=cls):
            return cls
        case MemberType(name=name, cls=cls) if known.names.get(cls) == name:  # else a function
            return cls
        case TensorType(dims, False) if type(first) is TensorType:
            return TensorHint(dims)
    items = functools.partial(hint_of, known, datas=datas)
    if any(isinstance(t, IntArrayType) for t in types):
        if all(isinstance(t, ListType) and t.item in (INT, NOTHING) for t in types):
            return IntArray
        raise NoHint
    if kind is list:
        return list.__class_getitem__(items([t.item for t in types if isinstance(t, ListType)]))
    if kind is tuple:
        return _of_tuples(types, items)
    lists = [[i.item for i in t.items] for t in types if isinstance(t, DictType)]  # type: ignore[union-attr]
    if kind is DictType:
        return dict.__class_getitem__(tuple(map(items, zip(*lists, strict=True))))
    frozen = {t.frozen for t in types if isinstance(t, SetType)}
    if len(frozen) == 1:
        collection = frozenset if frozen == {True} else set
        return collection.__class_getitem__(items([keys for keys, _ in lists]))
    raise NoHint


def _of_tuples(types: list[Type], items: Callable[[Any], Any]) -> Any:
    """Tuples of several lengths are like lists if their items have one type; else the length says
    which they are."""
    of_length: dict[int, list[tuple[Type, ...]]] = {}
    lists: list[Type] = []
    for t in types:
        if isinstance(t, ListType):
            lists.append(t.item)
        elif isinstance(t, TupleType):
            of_length.setdefault(len(t.items), []).append(t.items)
            lists += t.items
    by_length = [
        tuple.__class_getitem__(tuple(map(items, zip(*parts, strict=True))))
        for parts in of_length.values()
    ]
    any_length = any(isinstance(t, ListType) for t in types)
    if len(by_length) == 1 and not any_length:
        return by_length[0]
    item = items(lists)
    if is_union(item) and not any_length:
        return Union[tuple(by_length)]  # noqa: UP007
    return tuple.__class_getitem__((item, ...))
