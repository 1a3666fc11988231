"""The exponential function and the logarithm, also where e^x - 1 or log(1 + x) would cancel."""

from __future__ import annotations

import math

import numpy as np

from ..arithmetic import (
    BitsOf,
    Builder,
    FromBits,
    Function,
    Number,
    ToFloat,
    ToInteger,
    divide,
    horner,
    select,
)
from ..definition import Code
from ..derivative import unary
from .exponents import EXP, LEAST_NORMAL, LN2_HIGH, LN2_LOW, LOG, exp_parts
from .record import ELEMENTARY, POSITIVE, pointwise


def _exp(m: Builder, x: Number) -> Number:
    """e^x; infinity above 88.72, 0 below -103.97. 2^n is applied in two halves, so that neither
    leaves float32 before the result does."""
    e, n = exp_parts(m, x, -105.0, 89.0)
    half = n >> 1
    return e * FromBits((half + 127) << 23) * FromBits((n - half + 127) << 23)


def _log(m: Builder, x: Number) -> Number:
    """Natural logarithm; -infinity at 0, NaN below."""
    # Subnormal numbers have no exponent of their own.
    small = x < LEAST_NORMAL
    normal = m.let(select(small, x * 2.0**23, x))
    # x = (1 + y) * 2^n with 1 + y in [sqrt(1/2), sqrt(2)).
    bits = BitsOf(normal)
    n = m.let(ToFloat((bits - 0x3F3504F3) >> 23))
    y = m.let(FromBits(bits - (ToInteger(n) << 23)) - 1.0)
    n = m.let(select(small, n - 23.0, n))
    z = m.let(y * y)
    p = m.let(horner(m, LOG, y) * y * z)
    p = m.let(p + n * LN2_LOW - z * 0.5)
    result = m.let(y + p + n * LN2_HIGH)
    result = m.let(select(x.equals(0.0), -math.inf, result))
    result = m.let(select(x < 0.0, math.nan, result))
    # Infinity and NaN stay what they are.
    return select(x < math.inf, result, x)


def _expm1(m: Builder, x: Number) -> Number:
    """e^x - 1; where e^x is near 1, by the polynomial of e^r alone, in which nothing cancels."""
    small = m.let(Function("abs", x))
    r = m.let(select(small < 0.35, x, 0.0))
    p = horner(m, EXP, r)
    return select(small < 0.35, p * r * r + r, m.apply("exp", x) - 1.0)


def _log1p(m: Builder, x: Number) -> Number:
    """log(1 + x) as log(u) x / (u - 1), which corrects the rounding of u = 1 + x (Kahan)."""
    u = m.let(1.0 + x)
    d = m.let(u - 1.0)
    ratio = m.let(divide(x, select(d.equals(0.0), 1.0, d)))
    result = m.let(select(d.equals(0.0), x, m.apply("log", u) * ratio))
    return select(x < math.inf, result, x)


RECORDS = (
    pointwise(
        "exp",
        np.exp,
        Code(_exp, ELEMENTARY, absolute=2e-45),
        "ops.exp(x)",
        "e^x.",
        edges=(0.0, -104.0, -103.0, -87.0, 87.0, 88.7, 88.8),
        derivative=unary(lambda e, x, y, d: e.mul(d, y)),
        partials=(lambda g, y, x: g * y,),
    ),
    pointwise(
        "log",
        np.log,
        Code(_log, ELEMENTARY, absolute=1e-37),
        "ops.log(x)",
        "Natural logarithm.",
        domain=POSITIVE,
        edges=(0.0, 2.0**-0.5, 1.0, 2.0**0.5),
        derivative=unary(lambda e, x, y, d: e.div(d, x)),
        partials=(lambda g, y, x: g / x,),
    ),
    pointwise(
        "expm1",
        np.expm1,
        Code(_expm1, ELEMENTARY),
        "ops.expm1(x)",
        "e^x - 1, also where e^x is near 1.",
        edges=(0.0, -0.35, 0.35, 88.7, 88.8),
        derivative=unary(lambda e, x, y, d: e.mul(d, e.op("exp", x))),
        partials=(lambda g, y, x: g * (y + 1),),
    ),
    pointwise(
        "log1p",
        np.log1p,
        Code(_log1p, ELEMENTARY),
        "ops.log1p(x)",
        "log(1 + x), also where x is near 0.",
        domain=(-1.0, math.inf),
        edges=(-1.0, 0.0, 1.0),
        derivative=unary(lambda e, x, y, d: e.div(d, e.add(x, 1.0))),
        partials=(lambda g, y, x: g / (1 + x),),
    ),
)
