"""The tensors in results, and the gradients given for them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import GradientError
from ..tape.variable import Variable

Array = np.ndarray
_TENSORS = (np.ndarray, np.floating, Variable)


def tensors_of(result: Any) -> Iterator[Any]:
    """The tensors in a result, in order; those of an object that occurs twice are yielded once. Not
    recursive, because results may be deep."""
    seen: set[int] = set()
    work = [result]
    while work:
        value = work.pop()
        if is_tensor(value):
            yield value
            continue
        if _is_data(value):
            if id(value) in seen:
                continue
            seen.add(id(value))
        work += [v for _, v in reversed(parts_of(value))]


def without_variables(result: Any) -> Any:
    """A result of a tape with arrays in place of variables, as plain Python returns it."""
    return mapped_tensors(result, lambda t: t.value if isinstance(t, Variable) else t)


def mapped_tensors(result: Any, one: Callable[[Any], Any]) -> Any:
    """A result with `one(tensor)` in place of each tensor, in the order of `tensors_of`."""
    made: dict[int, Any] = {}

    def mapped(value: Any) -> Any:
        if is_tensor(value):
            return one(value)
        if id(value) in made:
            return made[id(value)]
        parts = [mapped(v) for _, v in parts_of(value)]
        if isinstance(value, list):
            return parts
        if isinstance(value, dict):
            return dict(zip(value, parts, strict=True))
        if isinstance(value, tuple):
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if not parts:
            return value
        copy = object.__new__(type(value))
        for name, part in zip(_fields(value), parts, strict=True):
            object.__setattr__(copy, name, part)
        made[id(value)] = copy
        return copy

    return mapped(result)


def cotangents_of(results: Sequence[Any], given: Any) -> list[list[Array | None]]:
    """For every result, the gradients of its tensors in order, None for zero. Each item of `given`
    has the structure of its result, with an array of the same shape for a tensor, and None for
    values without a gradient, such as ints. GradientError if it does not fit."""
    if not isinstance(given, (list, tuple)) or len(given) != len(results):
        n = f"{len(given)}" if isinstance(given, (list, tuple)) else type(given).__name__
        raise GradientError(f"cotangents: expected a list of {len(results)}, one for each, got {n}")
    return [
        _matched(r, c, f"cotangents[{i}]")
        for i, (r, c) in enumerate(zip(results, given, strict=True))
    ]


def _matched(result: Any, given: Any, path: str) -> list[Array | None]:
    """The gradients of one result, in the order of `tensors_of`. Several for the same tensor are
    added."""
    found: list[Array | None] = []
    # The index of a tensor in `found`, by the object that it belongs to and the path from there.
    places: dict[tuple[int, str], int] = {}
    work = [(result, given, path, (0, ""))]
    while work:
        value, cotangent, path, place = work.pop()
        if is_tensor(value):
            array = None if cotangent is None else _array(value, cotangent, path)
            at = places.setdefault(place, len(found))
            if at == len(found):
                found.append(array)
            else:
                found[at] = _added(found[at], array)
            continue
        parts = parts_of(value)
        theirs = [(name, None) for name, _ in parts]
        if cotangent is not None and parts:
            rows = isinstance(value, list) and isinstance(cotangent, np.ndarray)
            theirs = parts_of(list(cotangent) if rows else cotangent)
            if [name for name, _ in theirs] != [name for name, _ in parts]:
                raise GradientError(
                    f"{path}: expected {_said(value, len(parts))}, as the result is, "
                    f"got {_said(cotangent, len(theirs))}"
                )
        owner, way = (id(value), "") if _is_data(value) else place
        work += reversed(
            [
                (v, c, f"{path}{name}", (owner, f"{way}{name}"))
                for (name, v), (_, c) in zip(parts, theirs, strict=True)
            ]
        )
    return found


def _added(a: Array | None, b: Array | None) -> Array | None:
    return b if a is None else a if b is None else np.asarray(a + b)


def _is_data(value: Any) -> bool:
    """Whether a part of a result is an object of one of the author's classes."""
    if isinstance(value, (type, enum.Enum, np.generic, np.ndarray, Variable)):
        return False
    return dataclasses.is_dataclass(value) or hasattr(value, "__dict__")


def _fields(value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [f.name for f in dataclasses.fields(value)]
    return list(vars(value))


def is_tensor(value: Any) -> bool:
    # numpy turns a tensor of rank 0 into a scalar; a float64 scalar is a float to Python.
    return isinstance(value, _TENSORS)


def parts_of(value: Any) -> list[tuple[str, Any]]:
    """The parts of a result that is not a tensor, each with its path."""
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", v) for i, v in enumerate(value)]
    if isinstance(value, dict):
        return [(f"[{k!r}]", v) for k, v in value.items()]
    if _is_data(value):
        return [(f".{name}", getattr(value, name)) for name in _fields(value)]
    return []


def _array(value: Any, given: Any, path: str) -> Array:
    array = np.asarray(given)
    if array.shape != value.shape:
        raise GradientError(
            f"{path}: expected an array of shape {list(value.shape)}, got {list(array.shape)}"
        )
    if array.dtype.kind not in "fiub":
        raise GradientError(f"{path}: expected numbers, got {array.dtype}")
    return array


def _said(value: Any, count: int) -> str:
    kind = type(value).__name__
    return f"a {kind} of {count}" if isinstance(value, (list, tuple)) else f"a {kind}"
