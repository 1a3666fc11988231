"""a^b."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...typed import Atom, Const, Var
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
from ..definition import Array, Code
from ..derivative import Gradient, Operations, if_tensor
from .exponents import LEAST_NORMAL, LN2_HIGH, LN2_LOW, LOG
from .record import ELEMENTARY, POSITIVE, pointwise


def _log_parts(m: Builder, x: Number) -> tuple[Number, Number]:
    """log(x) of a positive x in two parts: the rounded sum of y and of n times LN2_HIGH, which has
    few enough bits that the product is exact; and what that sum lacks."""
    small = x < LEAST_NORMAL
    normal = m.let(select(small, x * 2.0**23, x))
    bits = BitsOf(normal)
    n = m.let(ToFloat((bits - 0x3F3504F3) >> 23))
    y = m.let(FromBits(bits - (ToInteger(n) << 23)) - 1.0)
    n = m.let(select(small, n - 23.0, n))
    z = m.let(y * y)
    p = m.let(horner(m, LOG, y) * y * z)
    big = m.let(n * LN2_HIGH)
    high = m.let(big + y)
    # |n ln 2| is 0 or more than |y|: the rounding error of their sum is computed exactly.
    lost = m.let(y - m.let(high - big))
    lost = m.let(select(n.equals(0.0), 0.0, lost))
    return high, m.let(p - z * 0.5 + n * LN2_LOW + lost)


def _pow(m: Builder, a: Number, b: Number) -> Number:
    """a^b as e^(b log |a|), the exponent in two parts; signs and limits are those of C's powf."""
    x = m.let(Function("abs", a))
    inside = m.let(select(x < math.inf, select(x > 0.0, x, 1.0), 1.0))
    high, low = _log_parts(m, inside)
    # The product of b and `high` in two parts (Dekker): 12 bits of each are exact.
    y = m.let(select(Function("abs", b) < 1e30, b, 0.0))
    b1 = m.let(y * 4097.0)
    b1 = m.let(b1 - m.let(b1 - y))
    b2 = m.let(y - b1)
    h1 = m.let(high * 4097.0)
    h1 = m.let(h1 - m.let(h1 - high))
    h2 = m.let(high - h1)
    e = m.let(y * high)
    rest = m.let(b1 * h1 - e + b1 * h2 + b2 * h1 + b2 * h2 + y * low)
    exponent = m.let(e + rest)
    # What e + rest lost, where there is anything to lose.
    rest = m.let(select(Function("abs", exponent) < 200.0, m.let(e - exponent) + rest, 0.0))
    power = m.apply("exp", exponent)
    result = m.let(power + select(power < math.inf, power, 0.0) * rest)
    # Where |b| is beyond 1e30, all x but 1 have reached their limit; 0 and infinity have for all b.
    above = m.let(select(x > 1.0, 1.0, -1.0) * b)
    limit = m.let(select(above > 0.0, math.inf, 0.0))
    far = select(x > 0.0, select(x < math.inf, Function("abs", b), math.inf), math.inf)
    result = m.let(select(far < 1e30, result, limit))
    half = m.let(b * 0.5)
    whole = Function("floor", b).equals(b)
    signed = m.let(select(a.equals(0.0), divide(1.0, a), a))
    odd = m.let(select(m.let(Function("floor", half)).equals(half), result, -result))
    result = m.let(select(signed < 0.0, select(whole, odd, math.nan), result))
    # A negative zero or infinity to a fractional power is not NaN.
    plain = m.let(select(x.equals(0.0), limit, select(x.equals(math.inf), limit, result)))
    result = m.let(select(whole, result, select(signed < 0.0, plain, result)))
    result = m.let(select(a.is_nan(), a, select(b.is_nan(), b, result)))
    result = m.let(select(x.equals(1.0), select(a < 0.0, result, 1.0), result))
    infinite = Function("abs", b).equals(math.inf)
    result = m.let(select(infinite, select(x.equals(1.0), 1.0, result), result))
    return select(b.equals(0.0), 1.0, result)


def _exact_power(a: Array, b: Array) -> Array:
    return np.asarray(np.float_power(a, b))


def _of_pow(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
    a, b = operands

    def base() -> Var:
        if isinstance(b, Const) and b.value == 2:
            return e.mul(e.mul(d, a), 2.0)
        less = float(b.value) - 1.0 if isinstance(b, Const) else e.sub(b, 1.0)
        slope = e.mul(e.op("pow", a, less), b)
        if isinstance(b, Var):  # x^0 is 1 everywhere
            slope = e.where(b, slope, 0.0)
        return e.mul(d, slope)

    def exponent() -> Var:
        log = e.op("log", a) if isinstance(a, Var) else _log_of_number(float(a.value))
        return e.mul(d, e.where(e.op("equal", y, 0.0), 0.0, e.mul(y, log)))

    return if_tensor(a, base), if_tensor(b, exponent)


def _log_of_number(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _base_partial(g: Array, y: Array, a: Array, b: Array) -> Array:
    return np.asarray(g * np.where(np.equal(b, 0), 0.0, b * np.float_power(a, np.subtract(b, 1.0))))


def _exponent_partial(g: Array, y: Array, a: Array, b: Array) -> Array:
    zero = np.equal(a, 0) & np.greater_equal(b, 0)
    return np.asarray(g * np.where(zero, 0.0, y * np.log(np.where(zero, 1.0, a))))


RECORDS = (
    pointwise(
        "pow",
        _exact_power,
        Code(_pow, ELEMENTARY, absolute=2e-45),
        "x ** y`, `ops.pow(a, b)",
        "a to the power of b; one of them may be a number.",
        domain=POSITIVE,
        edges=(0.0, 1.0),
        derivative=_of_pow,
        partials=(_base_partial, _exponent_partial),
    ),
)
