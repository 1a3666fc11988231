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
    """It came in, in what `name` says. `number` orders what began one after the other."""

    name: str
    array: Any
    number: int = -1


@dataclass(frozen=True, slots=True)
class Made:
    """An operation made it, at `place`, of operands that had none; or a NaN, of operands that had
    an infinity, which began at `cause`. `operands` and `result` are texts."""

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
    """Where what is not finite in the result of an operation began; None if everything is."""
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
    """The first number that is not finite, and where."""
    array = np.asarray(values)
    return first_of(array, ~np.isfinite(array))


def first_of(array: np.ndarray, which: Any) -> str:
    """The first number among those that `which` is true for, and where: "nan at [2, 0]"."""
    if array.ndim == 0:
        return f"{float(array)}"
    at = np.unravel_index(int(np.argmax(which)), array.shape)
    return f"{float(array[at])} at {[int(i) for i in at]}"


def describe(value: Any) -> str:
    """An operand: a number, or the shape and the range of a tensor."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item()}" if array.dtype.kind != "f" else f"{float(array):.6g}"
    shape = ", ".join(map(str, array.shape))
    low, high = np.fmin.reduce(array, None), np.fmax.reduce(array, None)
    among = ", nan among them" if np.isnan(array).any() and not np.isnan(low) else ""
    return f"Tensor[{shape}] from {low:.6g} to {high:.6g}{among}"
