"""Elementary functions as straight-line arithmetic.

The library's functions are no use in generated kernels: LLVM turns them into scalar calls even
inside a vector loop, and Triton's `exp` and `log` are single machine instructions whose error grows
with the argument. What stands here vectorises, and gives the same result in Triton's interpreter
and on a GPU.

exp is the Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial of degree 5 for e^r,
relative error below 2e-7. tanh(x) is x + x^3 p(x^2) for |x| < 0.625 (Cephes; accurate near zero)
and 1 - 2 / (e^2x + 1) beyond. log is Cephes' as well.
"""

from __future__ import annotations

import math

from .arithmetic import (
    BitsOf,
    Builder,
    FromBits,
    Function,
    Integer,
    Number,
    ToFloat,
    ToInteger,
    horner,
    select,
)

_EXP = (
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)
_TANH = (
    -5.70498872745e-3,
    2.06390887954e-2,
    -5.37397155531e-2,
    1.33314422036e-1,
    -3.33332819422e-1,
)
_LOG = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ERFC = (
    0.17087277,
    -0.82215223,
    1.48851587,
    -1.13520398,
    0.27886807,
    -0.18628806,
    0.09678418,
    0.37409196,
    1.00002368,
)

_LOG2_E = 1.44269504088896341
# ln 2 in two parts: n * the first is exact.
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
# What is added to a whole number n, |n| < 2^22, leaves n in the lowest bits of the sum; the lowest
# 9 bits of those of _WHOLE, and of their half, are 0.
_LEAST_NORMAL = 2.0**-126
_WHOLE = 1.5 * 2.0**23
_SQRT_HALF = 0.70710678118654752


def _exp_parts(m: Builder, x: Number, low: float, high: float) -> tuple[Number, Integer]:
    """e^r, and n + _WHOLE_BITS, of x clamped to [low, high]. e^r is NaN for NaN."""
    x = m.let(select(x > high, high, x))
    x = m.let(select(x < low, low, x))
    n = m.let(Function("floor", x * _LOG2_E + 0.5))
    r = m.let(x - n * _LN2_HIGH - n * _LN2_LOW)
    p = horner(m, _EXP, r)
    # No conversion, which of NaN would be undefined.
    return m.let(p * r * r + r + 1.0), BitsOf(m.let(n + _WHOLE))


def exp(m: Builder, x: Number) -> Number:
    """e^x; infinity above 88.72, 0 below -103.97. 2^n is applied in two halves, so that neither
    leaves float32 before the result does."""
    e, n = _exp_parts(m, x, -105.0, 89.0)
    half = n >> 1
    return e * FromBits((half + 127) << 23) * FromBits((n - half + 127) << 23)


def _exp_normal(m: Builder, x: Number) -> Number:
    """e^x where what is not a normal number need not be told from infinity or 0: infinity above
    88.38, e^-87 below -87."""
    e, n = _exp_parts(m, x, -87.0, 89.0)
    return e * FromBits((n + 127) << 23)


def log(m: Builder, x: Number) -> Number:
    """Natural logarithm; -infinity at 0, NaN below."""
    # Subnormal numbers have no exponent of their own.
    small = x < _LEAST_NORMAL
    normal = m.let(select(small, x * 2.0**23, x))
    # x = (1 + y) * 2^n with 1 + y in [sqrt(1/2), sqrt(2)).
    bits = BitsOf(normal)
    n = m.let(ToFloat((bits - 0x3F3504F3) >> 23))
    y = m.let(FromBits(bits - (ToInteger(n) << 23)) - 1.0)
    n = m.let(select(small, n - 23.0, n))
    z = m.let(y * y)
    p = m.let(horner(m, _LOG, y) * y * z)
    p = m.let(p + n * _LN2_LOW - z * 0.5)
    result = m.let(y + p + n * _LN2_HIGH)
    result = m.let(select(x.equals(0.0), -math.inf, result))
    result = m.let(select(x < 0.0, math.nan, result))
    # Infinity and NaN stay what they are.
    return select(x < math.inf, result, x)


def sigmoid(m: Builder, x: Number) -> Number:
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + m.let(_exp_normal(m, -x)))


def tanh(m: Builder, x: Number) -> Number:
    """Hyperbolic tangent."""
    s = m.let(x * x)
    near = m.let(horner(m, _TANH, s) * s * x + x)
    e = m.let(_exp_normal(m, x * 2.0))
    far = m.let(1.0 - 2.0 / (e + 1.0))
    return select(s < 0.390625, near, far)


def gelu(m: Builder, x: Number) -> Number:
    """x / 2 * (1 + erf(x / sqrt(2))), with erf of Abramowitz and Stegun 7.1.26, absolute error
    below 1.5e-7."""
    u = m.let(x * _SQRT_HALF)
    a = m.let(select(u < 0.0, -u, u))
    t = m.let(1.0 / (1.0 + 0.3275911 * a))
    e = m.let(_exp_normal(m, -(a * a)))
    # 1 - erf(|u|), so that nothing cancels for large negative x.
    tail = m.let(horner(m, _ERF, t) * t * e)
    return x * 0.5 * m.let(select(u < 0.0, tail, 2.0 - tail))


def gelu_tail(m: Builder, x: Number) -> Number:
    """x / 2 * (1 + erf(x / sqrt(2))), accurate in its tail too: 1 - erf has a small *relative*
    error, 1.2e-7, in the Chebyshev fit of Press et al., Numerical Recipes (`erfcc`)."""
    u = m.let(Function("abs", x) * _SQRT_HALF)
    t = m.let(1.0 / (1.0 + 0.5 * u))
    p = horner(m, _ERFC, t)
    tail = m.let(t * m.apply("exp", p * t - 1.26551223 - u * u))
    return x * 0.5 * select(x < 0.0, tail, 2.0 - tail)
