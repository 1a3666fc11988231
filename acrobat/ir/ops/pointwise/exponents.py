"""e^x and log x through the exponents of floats: shared by several operations.

exp is the Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial of degree 5 for e^r,
relative error below 2e-7. log is Cephes' as well.
"""

from __future__ import annotations

from ..arithmetic import BitsOf, Builder, FromBits, Function, Integer, Number, horner, select

EXP = (
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)
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
# Added to a whole number n, |n| < 2^22, it leaves n in the lowest bits of the sum. Of its own bits,
# and of half of them as an integer, the lowest 9 are 0.
_WHOLE = 1.5 * 2.0**23


def exp_parts(m: Builder, x: Number, low: float, high: float) -> tuple[Number, Integer]:
    """e^r, and n plus the bits of _WHOLE, for x = n ln 2 + r clamped to [low, high]. e^r is NaN for
    NaN."""
    x = m.let(select(x > high, high, x))
    x = m.let(select(x < low, low, x))
    n = m.let(Function("floor", x * LOG2_E + 0.5))
    r = m.let(x - n * LN2_HIGH - n * LN2_LOW)
    p = horner(m, EXP, r)
    # No conversion to an integer, which would be undefined for NaN.
    return m.let(p * r * r + r + 1.0), BitsOf(m.let(n + _WHOLE))


def exp_normal(m: Builder, x: Number) -> Number:
    """e^x where results outside the range of normal numbers need not be accurate: infinity above
    88.38, e^-87 below -87."""
    e, n = exp_parts(m, x, -87.0, 89.0)
    return e * FromBits((n + 127) << 23)
