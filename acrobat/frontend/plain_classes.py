"""The author's classes without `@ab.data`: only the model makes objects of them, so the types of
their fields follow from the values that it gives them."""

from __future__ import annotations

import abc
import dataclasses
import enum
import inspect
import sys
import sysconfig
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol

from ..lang.data import is_data
from ..lang.hints import UnreadableHint, resolve_class_hints
from ..lang.params import is_params
from .base_classes import has_fixed_bases
from .object_numbers import is_number_class
from .open_hints import leaves_open, mentioned

_PATHS = sysconfig.get_paths()
_OURS = str(Path(__file__).parents[1])
_ELSEWHERE = (_OURS, *{_PATHS[name] for name in ("stdlib", "purelib", "platlib")})
# The one part of an object without fields: what has no parts is nothing in a compiled program.
NO_FIELD = "no field"


def is_plain_class(found: object) -> bool:
    """Whether `found` is a class of the author's own, dataclass or not, that derives only from such
    classes; or a named tuple with a part that has no hint, or one that is not a complete type."""
    if not isinstance(found, type) or is_data(found) or is_params(found):
        return False
    if issubclass(found, tuple) and hasattr(found, "_fields"):
        hints = typing.get_type_hints(found)
        return len(hints) < len(found._fields) or any(map(leaves_open, hints.values()))
    if issubclass(found, (BaseException, enum.Enum)) or type(found) not in (type, abc.ABCMeta):
        return False
    if inspect.isabstract(found) or Protocol in found.__mro__:
        return False
    bases = [c for c in found.__mro__[:-1] if c not in (abc.ABC, Generic)]
    own = not any(map(_is_from_elsewhere, bases)) and all(map(_is_own, bases))
    return bool(bases) and own and has_fixed_bases(found)


def _is_from_elsewhere(cls: type) -> bool:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    return cls.__module__ == "builtins" or file.startswith(_ELSEWHERE)


# Methods by which a class itself defines how objects are made, or fields read or assigned.
_HOOKS = {"__new__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__"}


def _is_own(cls: type) -> bool:
    made = vars(cls).get("__init__")
    if "__dataclass_params__" in vars(cls) and (made is None or not _is_generated(made)):
        return False
    if made is not None and is_frozen(cls) and not _is_generated(made):
        return False
    setters = any(isinstance(f, property) and f.fset is not None for f in vars(cls).values())
    frozen = {"__setattr__", "__delattr__"} if is_frozen(cls) else set()
    return not setters and not (_HOOKS & vars(cls).keys()) - frozen


def made_by_fields(cls: Any) -> bool:
    """Whether a class is a dataclass, or inherits the way in which one makes objects."""
    made = getattr(cls, "__init__", None)
    return dataclasses.is_dataclass(cls) and _is_generated(made)


def is_frozen(cls: object) -> bool:
    """Whether a class is a frozen dataclass, whose fields Python refuses to change."""
    return dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore


def compares_fields(cls: type) -> bool:
    """Whether `==` of objects of a class compares their fields: it is a dataclass that does not
    define it otherwise. An undecorated subclass may have more fields, which are not compared."""
    if not made_by_fields(cls) or not all(f.compare for f in dataclasses.fields(cls)):
        return False
    if not dataclasses.is_dataclass(cls) or not cls.__dataclass_params__.eq:  # type: ignore
        return False
    return _is_generated(cls.__eq__)


def order_of(cls: type) -> tuple[int, ...] | None:
    """The fields, by index, that `<` and the like compare one after the other for values of a
    class, if it does not define these otherwise: those of a dataclass with `order=True`, or None
    for all parts of a named tuple."""
    methods = ("__lt__", "__le__", "__gt__", "__ge__")
    if issubclass(cls, tuple):
        return None if all(getattr(cls, m) is getattr(tuple, m) for m in methods) else ()
    if not dataclasses.is_dataclass(cls) or not made_by_fields(cls):
        return ()
    if not cls.__dataclass_params__.order:  # type: ignore
        return ()
    if not all(_is_generated(getattr(cls, m)) for m in methods):
        return ()
    return tuple(i for i, f in enumerate(dataclasses.fields(cls)) if f.compare)


def _is_generated(function: Any) -> bool:
    """Whether `dataclasses` has generated a function."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def open_hint(hint: Any) -> bool:
    """Whether a hint mentions a plain class or a list of weights, or leaves a type open itself."""
    return leaves_open(hint) or any(map(is_inferred, mentioned(hint)))


def is_inferred(hint: Any) -> bool:
    """Whether a hint is of a class whose values say what they consist of: a plain one, or a set; or
    of a list of weights."""
    if is_number_class(hint):
        return False
    kind = typing.get_origin(hint) or hint
    return (
        is_plain_class(kind)
        or is_interface(kind)
        or hint is set
        or typing.get_origin(hint) is set
        or lists_weights(hint)
    )


def is_interface(found: object) -> bool:
    """Whether `found` is a class of the author's own without objects: a Protocol, or an abstract
    class. Which class an object is of, its value says."""
    if not isinstance(found, type) or _is_from_elsewhere(found):
        return False
    return inspect.isabstract(found) or getattr(found, "_is_protocol", False)


def lists_weights(hint: Any) -> bool:
    """Whether a hint is a list, a tuple or a dict of weights: which these are, and how many, the
    value says."""
    collection = typing.get_origin(hint) in (list, tuple, dict, Sequence, Mapping)
    return collection and any(map(is_params, typing.get_args(hint)))


def open_fields(cls: type, floats: bool) -> frozenset[str]:
    """The fields of a class whose hints leave their types open (`floats`: also `float`): each value
    determines its own."""
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint:
        return frozenset()  # none of them can be read
    without = {*getattr(cls, "_fields", ())} - hints.keys()
    return frozenset(
        without.union(
            name for name, hint in hints.items() if open_hint(hint) or leaves_open(hint, floats)
        )
    )
