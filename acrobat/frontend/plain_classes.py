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


def _is_own(cls: type) -> bool:
    return "__init__" in vars(cls) or dataclasses.is_dataclass(cls)


def open_hint(hint: Any) -> bool:
    """Whether a hint mentions a plain class, or leaves a type open itself."""
    return leaves_open(hint) or any(map(_is_inferred, mentioned(hint)))


def _is_inferred(hint: Any) -> bool:
    return is_plain_class(hint) or hint is set or typing.get_origin(hint) is set
