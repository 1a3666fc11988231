"""The larger or smaller of two numbers, and one of two by a condition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...typed import Atom, Var
from ..arithmetic import Builder, Number, select
from ..definition import Array
from ..derivative import Derivative, Gradient, Operations, if_tensor
from .record import pointwise


def _maximum(m: Builder, a: Number, b: Number) -> Number:
    # A NaN in either is kept, as in numpy.
    return select(a.is_nan(), a, select(a > b, a, b))


def _minimum(m: Builder, a: Number, b: Number) -> Number:
    return select(a.is_nan(), a, select(a < b, a, b))


def _where(m: Builder, c: Number, a: Number, b: Number) -> Number:
    return select(c.equals(0), b, a)


def _exact_where(c: Array, a: Array, b: Array) -> Array:
    return np.where(np.asarray(c) != 0, a, b)


def _of_larger(name: str) -> Derivative:
    """`name` is the comparison that holds for the operand that is the result."""

    def rule(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
        a, b = operands
        first = e.op(name, a, b)
        tie = e.mul(e.where(e.op("equal", a, b), d, 0.0), 0.5)
        second = e.op(name, b, a)
        return tuple(
            if_tensor(x, lambda c=c: e.add(e.where(c, d, 0.0), tie))  # type: ignore[misc]
            for x, c in ((a, first), (b, second))
        )

    return rule


def _of_where(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
    c, a, b = operands
    return None, if_tensor(a, lambda: e.where(c, d, 0.0)), if_tensor(b, lambda: e.where(c, 0.0, d))


def _share(larger: Array, equal: Array) -> Array:
    """1 where an operand is the result, 1/2 where both are."""
    return np.where(equal, 0.5, larger)


RECORDS = (
    pointwise(
        "maximum",
        np.maximum,
        _maximum,
        "ops.maximum(a, b)",
        "The larger of a and b; NaN if either is.",
        derivative=_of_larger("greater"),
        partials=(
            lambda g, y, a, b: g * _share(np.greater(a, b), np.equal(a, b)),
            lambda g, y, a, b: g * _share(np.greater(b, a), np.equal(a, b)),
        ),
    ),
    pointwise(
        "minimum",
        np.minimum,
        _minimum,
        "ops.minimum(a, b)",
        "The smaller of a and b; NaN if either is.",
        derivative=_of_larger("less"),
        partials=(
            lambda g, y, a, b: g * _share(np.less(a, b), np.equal(a, b)),
            lambda g, y, a, b: g * _share(np.less(b, a), np.equal(a, b)),
        ),
    ),
    pointwise(
        "where",
        _exact_where,
        _where,
        "ops.where(c, a, b)",
        "a where c is not 0 (NaN is not), else b.",
        derivative=_of_where,
        partials=(
            None,
            lambda g, y, c, a, b: np.where(np.not_equal(c, 0), g, 0),
            lambda g, y, c, a, b: np.where(np.not_equal(c, 0), 0, g),
        ),
    ),
)
