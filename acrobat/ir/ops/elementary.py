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
    divide,
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
_ERF_NEAR = (
    7.853861353153693e-5,
    -8.010193625184903e-4,
    5.188327685732524e-3,
    -2.685381193529856e-2,
    1.128358514861418e-1,
    -3.761262582423300e-1,
    1.128379165726710,
)
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_HALF_PI = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
_TWO_OVER_PI = 0.63661977236758134
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


def silu(m: Builder, x: Number) -> Number:
    """x / (1 + e^-x); below 0 as x e^x / (1 + e^x), where e^-x would overflow."""
    e = m.let(m.apply("exp", -Function("abs", x)))
    return m.let(x * select(x < 0.0, e, 1.0)) / (1.0 + e)


def expm1(m: Builder, x: Number) -> Number:
    """e^x - 1; where e^x is near 1, by the polynomial of e^r alone, in which nothing cancels."""
    small = m.let(Function("abs", x))
    r = m.let(select(small < 0.35, x, 0.0))
    p = horner(m, _EXP, r)
    return select(small < 0.35, p * r * r + r, m.apply("exp", x) - 1.0)


def log1p(m: Builder, x: Number) -> Number:
    """log(1 + x): what 1 + x loses to rounding, log(u) / (u - 1) makes good (Kahan)."""
    u = m.let(1.0 + x)
    d = m.let(u - 1.0)
    ratio = m.let(divide(x, select(d.equals(0.0), 1.0, d)))
    result = m.let(select(d.equals(0.0), x, m.apply("log", u) * ratio))
    return select(x < math.inf, result, x)


def softplus(m: Builder, x: Number) -> Number:
    """log(1 + e^x), without overflow; what underflows is 0."""
    e = m.let(m.apply("exp", -Function("abs", x)))
    return select(x < 0.0, 0.0, x) + m.apply("log1p", e)


def erf(m: Builder, x: Number) -> Number:
    """The error function: Cephes' polynomial below 1, beyond it that of `gelu`."""
    s = m.let(x * x)
    near = m.let(horner(m, _ERF_NEAR, s) * x)
    a = m.let(Function("abs", x))
    t = m.let(1.0 / (1.0 + 0.3275911 * a))
    tail = m.let(horner(m, _ERF, t) * t * m.let(_exp_normal(m, -s)))
    far = m.let(1.0 - tail)
    return select(a < 1.0, near, select(x < 0.0, -far, far))


def _quadrant(m: Builder, x: Number) -> tuple[Number, Number, Number]:
    """sine and cosine of r, and the number of quadrants modulo 4, of x = r + n pi/2 with |r| at
    most pi/4. pi/2 in three parts, so that n times each of the first two is exact for |n| < 2^13.
    """
    n = m.let(Function("floor", x * _TWO_OVER_PI + 0.5))
    r = m.let(x - n * _HALF_PI[0] - n * _HALF_PI[1] - n * _HALF_PI[2])
    r = m.let(select(r > 1.0, 1.0, select(r < -1.0, -1.0, r)))  # where n is too large
    s = m.let(r * r)
    sine = m.let(horner(m, _SIN, s) * s * r + r)
    cosine = m.let(horner(m, _COS, s) * s * s - s * 0.5 + 1.0)
    return sine, cosine, m.let(n - Function("floor", n * 0.25) * 4.0)


def sin(m: Builder, x: Number) -> Number:
    """Sine."""
    sine, cosine, q = _quadrant(m, x)
    even = m.let(select(q < 2.0, sine, -sine))
    odd = m.let(select(q < 2.0, cosine, -cosine))
    return select(q.equals(1.0), odd, select(q.equals(3.0), odd, even))


def cos(m: Builder, x: Number) -> Number:
    """Cosine."""
    sine, cosine, q = _quadrant(m, x)
    even = m.let(select(q < 2.0, cosine, -cosine))
    odd = m.let(select(q < 2.0, -sine, sine))
    return select(q.equals(1.0), odd, select(q.equals(3.0), odd, even))


def _log_parts(m: Builder, x: Number) -> tuple[Number, Number]:
    """log(x) of a positive x in two parts: the first has few enough bits that n ln 2 is exact in
    it, the second is what it lacks."""
    small = x < _LEAST_NORMAL
    normal = m.let(select(small, x * 2.0**23, x))
    bits = BitsOf(normal)
    n = m.let(ToFloat((bits - 0x3F3504F3) >> 23))
    y = m.let(FromBits(bits - (ToInteger(n) << 23)) - 1.0)
    n = m.let(select(small, n - 23.0, n))
    z = m.let(y * y)
    p = m.let(horner(m, _LOG, y) * y * z)
    big = m.let(n * _LN2_HIGH)
    high = m.let(big + y)
    # |n ln 2| is 0 or more than |y|: the rounding error of their sum is exact.
    lost = m.let(y - m.let(high - big))
    lost = m.let(select(n.equals(0.0), 0.0, lost))
    return high, m.let(p - z * 0.5 + n * _LN2_LOW + lost)


def pow(m: Builder, a: Number, b: Number) -> Number:
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
    # Where b is beyond 1e30, all but 1 has come to its limit; so have 0 and infinity for all b.
    above = m.let(select(x > 1.0, 1.0, -1.0) * b)
    limit = m.let(select(above > 0.0, math.inf, 0.0))
    far = select(x > 0.0, select(x < math.inf, Function("abs", b), math.inf), math.inf)
    result = m.let(select(far < 1e30, result, limit))
    half = m.let(b * 0.5)
    whole = Function("floor", b).equals(b)
    signed = m.let(select(a.equals(0.0), divide(1.0, a), a))
    odd = m.let(select(m.let(Function("floor", half)).equals(half), result, -result))
    result = m.let(select(signed < 0.0, select(whole, odd, math.nan), result))
    # A negative zero or infinity to a fraction: no NaN.
    plain = m.let(select(x.equals(0.0), limit, select(x.equals(math.inf), limit, result)))
    result = m.let(select(whole, result, select(signed < 0.0, plain, result)))
    result = m.let(select(a.is_nan(), a, select(b.is_nan(), b, result)))
    result = m.let(select(x.equals(1.0), select(a < 0.0, result, 1.0), result))
    infinite = Function("abs", b).equals(math.inf)
    result = m.let(select(infinite, select(x.equals(1.0), 1.0, result), result))
    return select(b.equals(0.0), 1.0, result)
