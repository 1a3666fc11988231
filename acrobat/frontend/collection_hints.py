"""Hints of lists, dicts and sets."""

from __future__ import annotations

import collections
import collections.abc
import typing
from collections.abc import Callable
from typing import Any

from ..ir.type_queries import may_be_key
from ..ir.types import BOOL, DictType, KeyedType, ListType, SetType, Type
from ..lang.hints import Keyed
from .bad_hint import OR_EXAMPLES, BadHint

_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_DICTS = (dict, collections.OrderedDict, collections.abc.Mapping, collections.abc.MutableMapping)
_SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
_KEYS = "ints, truth values, strings, tuples of them"
# What a hint without the types of the items is, and what to write instead.
_BARE: dict[object, tuple[str, str]] = {
    dict: ("a dict without its types", f"`dict[str, int]` and the like, {OR_EXAMPLES}"),
    list: ("a list without the type of its items", f"`list[int]` and the like, {OR_EXAMPLES}"),
    set: ("a set without the type of its items", f"`set[int]` and the like, {OR_EXAMPLES}"),
    frozenset: (
        "a set without the type of its items",
        f"`frozenset[int]` and the like, {OR_EXAMPLES}",
    ),
}


def collection_type(hint: Any, type_of: Callable[[Any], Type]) -> Type | None:
    """The type that a hint of a list, a dict or a set stands for; None for other hints."""
    if isinstance(hint, Keyed):
        return KeyedType(tuple(type_of(h) for _, h in hint.items), tuple(k for k, _ in hint.items))
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in _DICTS:
        key, value = map(type_of, parts)
        if not may_be_key(key):
            raise BadHint(f"a dict whose keys are {key}", _KEYS)
        return DictType((ListType(key), ListType(value)))
    if origin in _SETS:
        (item,) = map(type_of, parts)
        if not may_be_key(item):
            raise BadHint(f"a set of {item}", _KEYS)
        return SetType((ListType(item), ListType(BOOL)), frozen=origin is frozenset)
    if origin in _LISTS:
        return ListType(type_of(parts[0]))
    bare = _BARE.get(hint) if isinstance(hint, type) else None
    if bare is not None:
        raise BadHint(*bare)
    return None
