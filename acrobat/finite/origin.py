"""Where a NaN or an infinity began."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ir.span import Span
from ..lang.places import caller

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Given:
    """It was in an input or constant, which `name` describes. `number` orders origins by time; that
    of inputs and constants precedes all others."""

    name: str
    array: Any
    number: int = -1


@dataclass(frozen=True, slots=True)
class Made:
    """An operation, at `place`, made it from operands that had none; or it made a NaN from operands
    that had an infinity, which began at `cause`. `operands` and `result` are texts."""

    operation: str
    place: Span | None
    operands: tuple[str, ...]
    result: str
    cause: Origin | None
    number: int = field(default_factory=_numbers.__next__)


Origin = Given | Made


@dataclass(frozen=True, slots=True)
class Operand:
    """A plain array or number, and where its NaN or infinity began, if it has one."""

    value: Any
    origin: Origin | None


def origin_of(operation: str, operands: Sequence[Operand], result: Any) -> Origin | None:
    """Return where the NaN or infinity in an operation's result began; None if it is finite."""
    values = np.asarray(result)
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return None
    shown = [_Shown(o) for o in operands if isinstance(o.value, (np.ndarray, np.generic, float))]
    has_nan = bool(np.isnan(values).any())
    origins = [s.origin for s in shown if (s.has_nan if has_nan else not s.is_finite)]
    if origins:
        return min(origins, key=lambda o: o.number)
    causes = [s.origin for s in shown if not s.is_finite]
    return Made(
        operation,
        caller(),
        tuple(describe(o.value) for o in operands),
        first_of(values, np.isnan(values) if has_nan else np.isinf(values)),
        min(causes, key=lambda o: o.number, default=None),
    )


class _Shown:
    def __init__(self, operand: Operand) -> None:
        values = np.asarray(operand.value)
        self.is_finite = bool(np.isfinite(values).all())
        self.has_nan = not self.is_finite and bool(np.isnan(values).any())
        self.origin: Origin = operand.origin or Given("a constant of the model", operand.value)


def first_bad(values: Any) -> str:
    """Return the first number that is not finite, and its position, as text."""
    array = np.asarray(values)
    return first_of(array, ~np.isfinite(array))


def first_of(array: np.ndarray, which: Any) -> str:
    """Return the first number for which `which` is true, and its position: "nan at [2, 0]"."""
    if array.ndim == 0:
        return f"{float(array)}"
    at = np.unravel_index(int(np.argmax(which)), array.shape)
    return f"{float(array[at])} at {[int(i) for i in at]}"


def describe(value: Any) -> str:
    """Describe an operand: a number, or the shape and range of a tensor."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item()}" if array.dtype.kind != "f" else f"{float(array):.6g}"
    shape = ", ".join(map(str, array.shape))
    low, high = np.fmin.reduce(array, None), np.fmax.reduce(array, None)
    among = ", nan among them" if np.isnan(array).any() and not np.isnan(low) else ""
    return f"Tensor[{shape}] from {low:.6g} to {high:.6g}{among}"
