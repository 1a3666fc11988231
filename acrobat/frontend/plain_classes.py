"""Classes of the author's without `@ab.data`: values of them are made by the model alone, so what
they are made of tells the types of their fields."""

from __future__ import annotations

import dataclasses
import enum
import sys
import sysconfig
import typing
from typing import Any

from ..lang.data import is_data
from ..lang.params import is_params
from .open_hints import leaves_open, mentioned

_PATHS = sysconfig.get_paths()
_ELSEWHERE = tuple({_PATHS[name] for name in ("stdlib", "purelib", "platlib")})


def is_plain_class(found: object) -> bool:
    """Whether `found` is a dataclass, or a class that derives from nothing else, of the author's
    own; or a NamedTuple with a hint that says no complete type."""
    if not isinstance(found, type) or is_data(found) or is_params(found):
        return False
    if issubclass(found, tuple) and hasattr(found, "_fields"):
        return any(map(leaves_open, typing.get_type_hints(found).values()))
    if issubclass(found, (BaseException, enum.Enum)) or type(found) is not type:
        return False
    file = getattr(sys.modules.get(found.__module__), "__file__", None) or ""
    if found.__module__ == "builtins" or file.startswith(_ELSEWHERE):
        return False
    return all(_is_own(base) for base in found.__mro__[:-1])


# With which a class says itself what it means to make a value, or to read or assign a field.
_HOOKS = {"__new__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__"}


def _is_own(cls: type) -> bool:
    made = vars(cls).get("__init__")
    if dataclasses.is_dataclass(cls) and (made is None or not _is_generated(made)):
        return False
    setters = any(isinstance(f, property) and f.fset is not None for f in vars(cls).values())
    frozen = {"__setattr__", "__delattr__"} if is_frozen(cls) else set()
    return made is not None and not setters and not (_HOOKS & vars(cls).keys()) - frozen


def is_frozen(cls: object) -> bool:
    """Whether a class is a frozen dataclass, of which Python refuses to change fields."""
    return dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore


def compares_fields(cls: type) -> bool:
    """Whether `==` of values of a class is that of their fields: of a dataclass that does not say
    otherwise."""
    if not dataclasses.is_dataclass(cls) or not cls.__dataclass_params__.eq:  # type: ignore
        return False
    return _is_generated(cls.__eq__)


def _is_generated(function: Any) -> bool:
    """Whether `dataclasses` has written a function."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def open_hint(hint: Any) -> bool:
    """Whether a hint mentions a plain class, or leaves a type open itself."""
    return leaves_open(hint) or any(map(_is_inferred, mentioned(hint)))


def _is_inferred(hint: Any) -> bool:
    return is_plain_class(hint) or hint is set or typing.get_origin(hint) is set
