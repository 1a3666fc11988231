"""The error function, and `gelu`, which is defined by it."""

from __future__ import annotations

import math

import numpy as np

from ...typed import Var
from ..arithmetic import Builder, Function, Number, horner, select
from ..definition import Array, Code
from ..derivative import Operations, unary
from .exponents import exp_normal
from .record import ELEMENTARY, pointwise

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
_SQRT_HALF = 0.70710678118654752


def _erf(m: Builder, x: Number) -> Number:
    """The error function: Cephes' polynomial for |x| < 1, the one of `gelu` beyond."""
    s = m.let(x * x)
    near = m.let(horner(m, _ERF_NEAR, s) * x)
    a = m.let(Function("abs", x))
    t = m.let(1.0 / (1.0 + 0.3275911 * a))
    tail = m.let(horner(m, _ERF, t) * t * m.let(exp_normal(m, -s)))
    far = m.let(1.0 - tail)
    return select(a < 1.0, near, select(x < 0.0, -far, far))


def _gelu(m: Builder, x: Number) -> Number:
    """x / 2 * (1 + erf(x / sqrt(2))), with erf of Abramowitz and Stegun 7.1.26, absolute error
    below 1.5e-7."""
    u = m.let(x * _SQRT_HALF)
    a = m.let(select(u < 0.0, -u, u))
    t = m.let(1.0 / (1.0 + 0.3275911 * a))
    e = m.let(exp_normal(m, -(a * a)))
    # 1 - erf(|u|), so that nothing cancels for large negative x.
    tail = m.let(horner(m, _ERF, t) * t * e)
    return x * 0.5 * m.let(select(u < 0.0, tail, 2.0 - tail))


def _gelu_tail(m: Builder, x: Number) -> Number:
    """x / 2 * (1 + erf(x / sqrt(2))), accurate in its tail too: 1 - erf has a small *relative*
    error, 1.2e-7, in the Chebyshev fit of Press et al., Numerical Recipes (`erfcc`)."""
    u = m.let(Function("abs", x) * _SQRT_HALF)
    t = m.let(1.0 / (1.0 + 0.5 * u))
    p = horner(m, _ERFC, t)
    tail = m.let(t * m.apply("exp", p * t - 1.26551223 - u * u))
    return x * 0.5 * select(x < 0.0, tail, 2.0 - tail)


_erf_of_number = np.frompyfunc(math.erf, 1, 1)


def _exact_erf(x: Array) -> Array:
    return np.asarray(_erf_of_number(np.asarray(x, dtype=np.float64)), dtype=np.float64)


def _exact_gelu(x: Array) -> Array:
    erf = _exact_erf(np.asarray(x, dtype=np.float64) / math.sqrt(2.0))
    return np.asarray(x * 0.5 * (1.0 + erf))


def _of_erf(e: Operations, x: Var, y: Var, d: Var) -> Var:
    bell = e.op("exp", e.op("neg", e.mul(x, x)))
    return e.mul(d, e.mul(bell, 2.0 / math.sqrt(math.pi)))


def _of_gelu(e: Operations, x: Var, y: Var, d: Var) -> Var:
    below = e.mul(e.add(e.op("erf", e.mul(x, math.sqrt(0.5))), 1.0), 0.5)
    density = e.mul(e.op("exp", e.mul(e.mul(x, x), -0.5)), 1.0 / math.sqrt(2.0 * math.pi))
    return e.mul(d, e.add(below, e.mul(x, density)))


def _normal(x: Array) -> Array:
    """The density of a standard normal variable."""
    return np.asarray(np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))


def _gelu_partial(g: Array, y: Array, x: Array) -> Array:
    return np.asarray(g * (0.5 * (1.0 + _exact_erf(x / math.sqrt(2))) + x * _normal(x)))


RECORDS = (
    pointwise(
        "erf",
        _exact_erf,
        Code(_erf, ELEMENTARY),
        "ops.erf(x)",
        "The error function.",
        edges=(0.0, -1.0, 1.0),
        derivative=unary(_of_erf),
        partials=(lambda g, y, x: g * (2 / math.sqrt(math.pi)) * np.exp(-x * x),),
    ),
    pointwise(
        "gelu",
        _exact_gelu,
        Code(_gelu, ELEMENTARY, absolute=3e-7),
        "ops.gelu(x)",
        "x * P(Z <= x) for a standard normal Z, by the error function (Hendrycks, Gimpel 2016).",
        # Below -5, the rounding of x by half a unit matters more than the function's own error.
        cuda=Code(_gelu_tail, ELEMENTARY, within=(-5.0, math.inf)),
        derivative=unary(_of_gelu),
        partials=(_gelu_partial,),
    ),
)
