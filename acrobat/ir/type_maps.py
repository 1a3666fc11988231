"""Types derived from others: with other dimensions, or without what only the front end tells
apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .dims import Dim
from .types import (
    ANY,
    IntArrayType,
    IntType,
    ListType,
    RowsType,
    StackType,
    TensorType,
    TextType,
    TupleType,
    Type,
)


def bind(t: Type, sizes: Mapping[str, int]) -> Type:
    """Replace symbolic dimensions by numbers; a mask becomes a plain tensor."""
    if isinstance(t, TensorType):
        return TensorType(tuple(d.bind(sizes) for d in t.dims))
    if isinstance(t, TupleType):
        return replace(t, items=tuple(bind(i, sizes) for i in t.items))
    if isinstance(t, ListType):
        return replace(t, item=bind(t.item, sizes))
    return t


def erased(t: Type) -> Type:
    """`t` with a list for every tensor whose size only the instance knows, and a tuple for every
    stack of matrices."""
    if isinstance(t, RowsType):
        return ListType(erased(t.item), along=-(t.dims[0] != ANY))
    if isinstance(t, StackType):
        return TupleType((erased(t.matrix),) * t.count)
    if isinstance(t, ListType):
        return replace(t, item=erased(t.item))
    return replace(t, items=tuple(map(erased, t.items))) if isinstance(t, TupleType) else t


def without_int_arrays(t: Type) -> Type:
    """`t` with a plain list for every list of ints that plain Python has as an array."""
    if isinstance(t, IntArrayType):
        return ListType(t.item)
    if isinstance(t, ListType):
        return replace(t, item=without_int_arrays(t.item))
    if isinstance(t, TupleType):
        return replace(t, items=tuple(map(without_int_arrays, t.items)))
    return t


def substitute(t: Type, dims: Mapping[str, Dim]) -> Type:
    """Replace dimension names by what they stand for."""
    if isinstance(t, TensorType):
        sizes = tuple(d.replace(dims) for d in t.dims)
        if isinstance(t, StackType):
            return replace(t, dims=sizes)
        return RowsType(sizes, t.mask) if ANY in sizes else TensorType(sizes, t.mask)
    if isinstance(t, TupleType):
        return replace(t, items=tuple(substitute(i, dims) for i in t.items))
    return replace(t, item=substitute(t.item, dims)) if isinstance(t, ListType) else t


def member_type(t: Type) -> Type:
    """An int or a string of which hints say that it is a member of an enumeration."""
    return replace(t, of_members=True) if isinstance(t, (IntType, TextType)) else t


def unmasked(t: Type) -> Type:
    """A mask as a plain tensor; any other type as it is."""
    return TensorType(t.dims) if isinstance(t, TensorType) and t.mask else t
