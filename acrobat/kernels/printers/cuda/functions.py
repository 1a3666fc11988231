"""Elementary functions of the generated kernels, in Triton.

Triton's own `exp` and `log` are single machine instructions with an error that grows with the
argument, and its interpreter knows no CUDA library. These are additions, multiplications and
comparisons that give the same result on both, within 2e-6 relative of numpy:

exp is the Cephes scheme: e^x = 2^n * e^r with |r| <= ln(2)/2 and a polynomial for e^r. 2^n is
applied in two halves, so that results beyond float32 become infinity and 0. tanh is a polynomial
near zero and 1 - 2 / (e^2x + 1) beyond, log is Cephes' as well. gelu needs the tail of erf with
a small *relative* error: the Chebyshev fit of Press et al., Numerical Recipes (`erfcc`), error
below 1.2e-7.

This module is imported by generated sources alone: it needs Triton.
"""

import triton
import triton.language as tl


@triton.jit
def exp(x):
    """e^x; infinity above 88.72, 0 below -103.97, NaN for NaN."""
    x = tl.where(x > 89.0, 89.0, x)
    x = tl.where(x < -105.0, -105.0, x)
    n = tl.floor(x * 1.44269504088896341 + 0.5)
    # ln 2 in two parts: n * 0.693359375 is exact.
    r = x - n * 0.693359375 - n * -2.12194440e-4
    p = 1.9875691500e-4 * r + 1.3981999507e-3
    p = p * r + 8.3334519073e-3
    p = p * r + 4.1665795894e-2
    p = p * r + 1.6666665459e-1
    p = p * r + 5.0000001201e-1
    e = p * r * r + r + 1.0
    # NaN has no exponent.
    whole = tl.where(n == n, n, 0.0).to(tl.int32)
    half = whole >> 1
    low = ((half + 127) << 23).to(tl.float32, bitcast=True)
    high = ((whole - half + 127) << 23).to(tl.float32, bitcast=True)
    return e * low * high


@triton.jit
def log(x):
    """Natural logarithm; -infinity at 0, NaN below."""
    bits = x.to(tl.int32, bitcast=True)
    # x = m * 2^n with m in [sqrt(1/2), sqrt(2)).
    whole = (bits - 0x3F3504F3) >> 23
    n = whole.to(tl.float32)
    m = (bits - (whole << 23)).to(tl.float32, bitcast=True) - 1.0
    z = m * m
    p = 7.0376836292e-2 * m - 1.1514610310e-1
    p = p * m + 1.1676998740e-1
    p = p * m - 1.2420140846e-1
    p = p * m + 1.4249322787e-1
    p = p * m - 1.6668057665e-1
    p = p * m + 2.0000714765e-1
    p = p * m - 2.4999993993e-1
    p = p * m + 3.3333331174e-1
    p = p * m * z + n * -2.12194440e-4 - z * 0.5
    y = m + p + n * 0.693359375
    y = tl.where(x == 0.0, float("-inf"), y)
    y = tl.where(x < 0.0, float("nan"), y)
    # Infinity and NaN stay what they are.
    return tl.where(x < 3.4e38, y, x)


@triton.jit
def sigmoid(x):
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + exp(-x))


@triton.jit
def tanh(x):
    """Hyperbolic tangent."""
    s = x * x
    p = -5.70498872745e-3 * s + 2.06390887954e-2
    p = p * s - 5.37397155531e-2
    p = p * s + 1.33314422036e-1
    p = p * s - 3.33332819422e-1
    far = 1.0 - 2.0 / (exp(x * 2.0) + 1.0)
    return tl.where(s < 0.390625, p * s * x + x, far)


@triton.jit
def gelu(x):
    """x / 2 * (1 + erf(x / sqrt(2)))."""
    u = tl.abs(x) * 0.70710678118654752
    t = 1.0 / (1.0 + 0.5 * u)
    p = 0.17087277 * t - 0.82215223
    p = p * t + 1.48851587
    p = p * t - 1.13520398
    p = p * t + 0.27886807
    p = p * t - 0.18628806
    p = p * t + 0.09678418
    p = p * t + 0.37409196
    p = p * t + 1.00002368
    # 1 - erf(u), so that nothing cancels for large negative x.
    tail = t * exp(p * t - 1.26551223 - u * u)
    return x * 0.5 * tl.where(x < 0.0, tail, 2.0 - tail)


@triton.jit
def relu(x):
    """max(x, 0); NaN stays NaN."""
    return tl.where(x < 0.0, 0.0, x)


@triton.jit
def smaller(a, b):
    """The smaller one; NaN if either is."""
    return tl.where((a < b) | (a != a), a, b)


@triton.jit
def larger(a, b):
    """The larger one; NaN if either is."""
    return tl.where((a > b) | (a != a), a, b)
