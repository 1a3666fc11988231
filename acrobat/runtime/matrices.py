"""Matrices in results whose number of rows only the instance knows, and stacks of matrices. The
program has a list of the rows, or a tuple of the matrices; plain Python has one array."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.types import (
    ANY,
    DictType,
    KeyedType,
    ListType,
    OptionalType,
    QueueType,
    RecordType,
    RowsType,
    SetType,
    StackType,
    TupleType,
    Type,
)
from .device_array import DeviceArray
from .records import put_together

# Makes one array of several, along a new axis; of none, one of the given shape.
Stack = Callable[[Sequence[Any], int, tuple[int, ...]], Any]


def has_matrices(t: Type) -> bool:
    """Whether a result of type `t`, as the front end has it, has such a matrix."""
    if isinstance(t, TupleType):
        return any(map(has_matrices, t.items))
    return isinstance(t, (RowsType, StackType)) or (
        isinstance(t, ListType) and has_matrices(t.item)
    )


def stacked(items: Sequence[Any], axis: int, empty: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The items along a new axis, in the memory of the host; without any, an array of shape
    `empty`."""
    if not items:
        return np.zeros(empty, np.float32)
    return np.stack([i.numpy() if isinstance(i, DeviceArray) else i for i in items], axis)


def with_matrices(value: Any, t: Type, stack: Stack = stacked) -> Any:
    """`value`, a result of the program, with arrays for the lists that stand for matrices."""
    match t:
        case RowsType(dims):
            items = [with_matrices(v, t.item, stack) for v in value]
            # Without a row, nothing tells how many columns there would be if no weight does.
            return stack(items, -(dims[0] != ANY), tuple(d.known or 0 for d in dims))
        case StackType(dims):
            items = [with_matrices(v, t.matrix, stack) for v in value]
            return stack(items, t.axis, tuple(d.known or 0 for d in dims))
        case OptionalType():
            return None if value is None else with_matrices(value, t.item, stack)
        case SetType():
            return value
        case QueueType(items=(_, ListType(item))):
            found = [with_matrices(v, item, stack) for v in value]
            return collections.deque(found, value.maxlen)
        case DictType(items=(_, ListType(item))):
            return {key: with_matrices(v, item, stack) for key, v in value.items()}
        case TupleType(items):
            parts = value
            if isinstance(t, RecordType):
                parts = [getattr(value, name) for name in t.fields]
            elif isinstance(t, KeyedType):
                parts = value.values()
            made = (with_matrices(v, i, stack) for v, i in zip(parts, items, strict=True))
            return put_together(t, tuple(made))
        case ListType(item) if has_matrices(item):
            items = [with_matrices(v, item, stack) for v in value]
            return tuple(items) if t.frozen else items
    return value


def all_with_matrices(results: list[Any], t: Type | None) -> list[Any]:
    """The results of a mini-batch as plain Python has them; None: they have no such matrices."""
    return results if t is None else [with_matrices(r, t) for r in results]
