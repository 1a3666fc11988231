"""Sine and cosine."""

from __future__ import annotations

import numpy as np

from ..arithmetic import Builder, Function, Number, horner, select
from ..definition import Code
from ..derivative import unary
from .record import ELEMENTARY, pointwise

_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_HALF_PI = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
_TWO_OVER_PI = 0.63661977236758134


def _quadrant(m: Builder, x: Number) -> tuple[Number, Number, Number]:
    """Sine and cosine of r, and n modulo 4, for x = r + n pi/2 with |r| at most pi/4. pi/2 is in
    three parts, so that n times each of the first two is exact for |n| < 2^13."""
    n = m.let(Function("floor", x * _TWO_OVER_PI + 0.5))
    r = m.let(x - n * _HALF_PI[0] - n * _HALF_PI[1] - n * _HALF_PI[2])
    r = m.let(select(r > 1.0, 1.0, select(r < -1.0, -1.0, r)))  # where n is too large
    s = m.let(r * r)
    sine = m.let(horner(m, _SIN, s) * s * r + r)
    cosine = m.let(horner(m, _COS, s) * s * s - s * 0.5 + 1.0)
    return sine, cosine, m.let(n - Function("floor", n * 0.25) * 4.0)


def _sin(m: Builder, x: Number) -> Number:
    """Sine."""
    sine, cosine, q = _quadrant(m, x)
    even = m.let(select(q < 2.0, sine, -sine))
    odd = m.let(select(q < 2.0, cosine, -cosine))
    return select(q.equals(1.0), odd, select(q.equals(3.0), odd, even))


def _cos(m: Builder, x: Number) -> Number:
    """Cosine."""
    sine, cosine, q = _quadrant(m, x)
    even = m.let(select(q < 2.0, cosine, -cosine))
    odd = m.let(select(q < 2.0, -sine, sine))
    return select(q.equals(1.0), odd, select(q.equals(3.0), odd, even))


RECORDS = (
    pointwise(
        "sin",
        np.sin,
        Code(_sin, ELEMENTARY, absolute=2e-7),
        "ops.sin(x)",
        "Sine; beyond 8192 its error grows with x.",
        domain=(-8192.0, 8192.0),
        derivative=unary(lambda e, x, y, d: e.mul(d, e.op("cos", x))),
        partials=(lambda g, y, x: g * np.cos(x),),
    ),
    pointwise(
        "cos",
        np.cos,
        Code(_cos, ELEMENTARY, absolute=2e-7),
        "ops.cos(x)",
        "Cosine; beyond 8192 its error grows with x.",
        domain=(-8192.0, 8192.0),
        derivative=unary(lambda e, x, y, d: e.op("neg", e.mul(d, e.op("sin", x)))),
        partials=(lambda g, y, x: -g * np.sin(x),),
    ),
)
