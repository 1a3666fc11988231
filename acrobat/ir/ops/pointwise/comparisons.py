"""Comparisons: 1.0 where they hold, else 0.0. Their derivative is 0."""

from __future__ import annotations

import numpy as np

from ..arithmetic import Builder, Form, Number, select
from ..definition import Array, Pointwise
from ..derivative import no_derivative
from .record import pointwise


def _less(m: Builder, a: Number, b: Number) -> Number:
    return select(a < b, 1, 0)


def _greater(m: Builder, a: Number, b: Number) -> Number:
    return select(b < a, 1, 0)


def _less_equal(m: Builder, a: Number, b: Number) -> Number:
    return select(a < b, 1, select(a.equals(b), 1, 0))


def _greater_equal(m: Builder, a: Number, b: Number) -> Number:
    return select(b < a, 1, select(a.equals(b), 1, 0))


def _equal(m: Builder, a: Number, b: Number) -> Number:
    return select(a.equals(b), 1, 0)


def _not_equal(m: Builder, a: Number, b: Number) -> Number:
    return select(a.equals(b), 0, 1)  # NaN is not equal to itself


def _comparison(name: str, sign: str, form: Form) -> Pointwise:
    """The record of a comparison that numpy has under the same name."""

    def exact(a: Array, b: Array) -> Array:
        return np.asarray(getattr(np, name)(a, b))

    return pointwise(
        name,
        exact,
        form,
        f"ops.{name}(a, b)",
        f"1.0 where a {sign} b, else 0.0.",
        derivative=no_derivative,
        partials=(None, None),
    )


RECORDS = (
    _comparison("less", "<", _less),
    _comparison("greater", ">", _greater),
    _comparison("less_equal", "<=", _less_equal),
    _comparison("greater_equal", ">=", _greater_equal),
    _comparison("equal", "==", _equal),
    _comparison("not_equal", "!=", _not_equal),
)
