"""e^x and log x through the exponents of floats: shared by several operations.

exp is the Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial for e^r. log is
Cephes' as well.
"""

from __future__ import annotations

from ..arithmetic import BitsOf, Builder, FromBits, Integer, Number, horner, select

# (e^r - 1 - r) / r^2 in |r| <= ln(2)/2: the polynomial with the least relative error of e^r, 3e-9.
# (One coefficient more, as Cephes has, gains nothing in float32; with one less it is 1e-7.)
EXP = (1.3814599e-3, 8.3687167e-3, 4.1668389e-2, 1.6666521e-1, 4.9999994e-1)
LOG = (
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

LOG2_E = 1.44269504088896341
# ln 2 in two parts: n * the first is exact.
LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440e-4
LEAST_NORMAL = 2.0**-126
# Added to a number y, |y| < 2^21, it leaves the whole number nearest to y in the lowest bits of the
# sum. Of its own bits, and of half of them as an integer, the lowest 9 are 0.
_WHOLE = 1.5 * 2.0**23


def exp_parts(
    m: Builder, x: Number, low: float, high: float, bias: int = 0
) -> tuple[Number, Integer]:
    """e^r, and n + `bias` plus the bits of _WHOLE, for x = n ln 2 + r clamped to [low, high]. For
    NaN, e^r is NaN."""
    r, slope, n = _reduced(m, x, low, high, bias)
    return m.let(slope * r + 1.0), n


def _reduced(
    m: Builder, x: Number, low: float, high: float, bias: int
) -> tuple[Number, Number, Integer]:
    """r, (e^r - 1) / r, and n as `exp_parts` gives it."""
    x = m.let(select(x > high, high, x))
    x = m.let(select(x < low, low, x))
    # Neither a rounding instruction nor a conversion to an integer, which is undefined for NaN.
    shifted = m.let(x * LOG2_E + (_WHOLE + bias))
    n = m.let(shifted - (_WHOLE + bias))
    r = m.let(x - n * LN2_HIGH - n * LN2_LOW)
    return r, m.let(horner(m, EXP, r) * r + 1.0), BitsOf(shifted)


def exp_normal(m: Builder, x: Number) -> Number:
    """e^x where results outside the range of normal numbers need not be accurate: infinity above
    88.38, e^-87 below -87."""
    e, biased = exp_parts(m, x, -87.0, 89.0, bias=127)
    return e * FromBits(biased << 23)


def expm1_finite(m: Builder, x: Number) -> Number:
    """e^x - 1 = 2^n (e^r - 1) + (2^n - 1), in which nothing cancels; e^-87 - 1 below -87 and
    e^88 - 1 above 88."""
    r, slope, biased = _reduced(m, x, -87.0, 88.0, bias=127)
    power = m.let(FromBits(biased << 23))
    return m.let(slope * r) * power + (power - 1.0)
