"""Tuples of any length are lists to the compiler; results become what plain Python has."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ..ir import typed as T
from ..ir.types import ListType

_A = TypeVar("_A", bound=T.Atom)


def frozen(items: _A) -> _A:
    """A list as a tuple of any length."""
    return _as(items, True)


def thawed(items: _A) -> _A:
    """A tuple of any length as a list."""
    return _as(items, False)


def _as(items: _A, is_frozen: bool) -> _A:
    if isinstance(items, T.Var) and isinstance(items.type, ListType):
        return replace(items, type=replace(items.type, frozen=is_frozen))
    return items
