"""Tuples of any length and arrays of ints are lists to the compiler; results of tuples become what
plain Python has."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ..ir import typed as T
from ..ir.types import INT, IntArrayType, ListType

_A = TypeVar("_A", bound=T.Atom)


def frozen(items: _A) -> _A:
    """A list as a tuple of any length."""
    return _as(items, True)


def thawed(items: _A) -> _A:
    """A tuple of any length as a list."""
    return _as(items, False)


def as_int_array(items: _A) -> _A:
    """A list of ints as an array of them."""
    if isinstance(items, T.Var) and items.type == ListType(INT):
        return replace(items, type=IntArrayType(INT))
    return items


def items_of_array(items: _A) -> _A:
    """An array of ints as a list of them; any other value as it is."""
    return thawed(items) if isinstance(items.type, IntArrayType) else items


def _as(items: _A, is_frozen: bool) -> _A:
    if isinstance(items, T.Var) and isinstance(items.type, ListType):
        t = ListType(items.type.item, frozen=is_frozen, along=items.type.along)
        return replace(items, type=t)
    return items
