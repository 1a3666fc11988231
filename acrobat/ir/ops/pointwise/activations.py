"""The activations of networks; `gelu` is with the error function."""

from __future__ import annotations

import numpy as np

from ...typed import Var
from ..arithmetic import Builder, Function, Number, divide, select
from ..definition import Array, Code
from ..derivative import Operations, unary
from .exponents import exp_normal, expm1_finite
from .record import ELEMENTARY, pointwise


def _tanh(m: Builder, x: Number) -> Number:
    """(e^2x - 1) / (e^2x + 1): accurate near zero as e^2x - 1 is, never beyond 1."""
    e = m.let(expm1_finite(m, x * 2.0))
    return divide(e, e + 2.0)


def _tanh_cuda(m: Builder, x: Number) -> Number:
    """The same with the GPU's fast division, whose last units could lead beyond 1."""
    e = m.let(expm1_finite(m, x * 2.0))
    quotient = m.let(e / (e + 2.0))
    return select(quotient > 1.0, 1.0, quotient)


def _sigmoid(m: Builder, x: Number) -> Number:
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + m.let(exp_normal(m, -x)))


def _relu(m: Builder, x: Number) -> Number:
    return select(x < 0.0, 0.0, x)  # NaN stays NaN


def _silu(m: Builder, x: Number) -> Number:
    """x / (1 + e^-x); below 0 as x e^x / (1 + e^x), where e^-x would overflow."""
    e = m.let(m.apply("exp", -Function("abs", x)))
    return m.let(x * select(x < 0.0, e, 1.0)) / (1.0 + e)


def _softplus(m: Builder, x: Number) -> Number:
    """log(1 + e^x), without overflow; what underflows is 0."""
    e = m.let(m.apply("exp", -Function("abs", x)))
    return select(x < 0.0, 0.0, x) + m.apply("log1p", e)


def _mish(m: Builder, x: Number) -> Number:
    """x tanh(log(1 + e^x)), a quotient of polynomials in e^x, or in e^-x above 0, as in `_silu`."""
    e = m.let(m.apply("exp", -Function("abs", x)))
    below = m.let(e * (e + 2.0))
    above = m.let(2.0 * e + 1.0)
    ratio = select(x < 0.0, below, above) / select(x < 0.0, below + 2.0, above + 2.0 * e * e)
    return x * ratio


def _softsign(m: Builder, x: Number) -> Number:
    return divide(x, 1.0 + Function("abs", x))


def _logsigmoid(m: Builder, x: Number) -> Number:
    """-log(1 + e^-x), without overflow."""
    e = m.let(m.apply("exp", -Function("abs", x)))
    return select(x < 0.0, x, 0.0) - m.apply("log1p", e)


def _exact_sigmoid(x: Array) -> Array:
    with np.errstate(over="ignore"):  # e^-x = inf gives the right 0
        return np.asarray(1 / (1 + np.exp(-x)))


def _exact_relu(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0))


def _exact_silu(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(x / (1 + np.exp(-x)))


def _exact_softplus(x: Array) -> Array:
    return np.asarray(np.logaddexp(x, np.zeros_like(x)))


def _exact_mish(x: Array) -> Array:
    return np.asarray(x * np.tanh(_exact_softplus(x)))


def _exact_softsign(x: Array) -> Array:
    return np.asarray(x / (1 + np.abs(x)))


def _exact_logsigmoid(x: Array) -> Array:
    return -_exact_softplus(-np.asarray(x))


def _of_silu(e: Operations, x: Var, y: Var, d: Var) -> Var:
    s = e.op("sigmoid", x)
    return e.mul(d, e.mul(s, e.add(e.mul(x, e.sub(1.0, s)), 1.0)))


def _silu_partial(g: Array, y: Array, x: Array) -> Array:
    s = _exact_sigmoid(x)
    return np.asarray(g * s * (1 + x * (1 - s)))


def _of_mish(e: Operations, x: Var, y: Var, d: Var) -> Var:
    t = e.op("tanh", e.op("softplus", x))
    slope = e.mul(e.mul(x, e.op("sigmoid", x)), e.sub(1.0, e.mul(t, t)))
    return e.mul(d, e.add(t, slope))


def _mish_partial(g: Array, y: Array, x: Array) -> Array:
    t = np.tanh(_exact_softplus(x))
    return np.asarray(g * (t + x * _exact_sigmoid(x) * (1 - t * t)))


def _of_softsign(e: Operations, x: Var, y: Var, d: Var) -> Var:
    below = e.add(e.op("abs", x), 1.0)
    return e.div(d, e.mul(below, below))


RECORDS = (
    pointwise(
        "tanh",
        np.tanh,
        Code(_tanh, ELEMENTARY),
        "ops.tanh(x)",
        "Hyperbolic tangent.",
        cuda=Code(_tanh_cuda, ELEMENTARY),
        edges=(0.0, -0.17, 0.17, -0.52, 0.52, -10.0, 10.0),
        derivative=unary(lambda e, x, y, d: e.mul(d, e.sub(1.0, e.mul(y, y)))),
        partials=(lambda g, y, x: g * (1 - y * y),),
    ),
    pointwise(
        "sigmoid",
        _exact_sigmoid,
        Code(_sigmoid, ELEMENTARY, absolute=1e-37),
        "ops.sigmoid(x)",
        "1 / (1 + exp(-x)), without overflow.",
        edges=(0.0, -87.0, 87.0),
        derivative=unary(lambda e, x, y, d: e.mul(d, e.mul(y, e.sub(1.0, y)))),
        partials=(lambda g, y, x: g * y * (1 - y),),
    ),
    pointwise(
        "relu",
        _exact_relu,
        _relu,
        "ops.relu(x)",
        "max(x, 0).",
        derivative=unary(lambda e, x, y, d: e.where(e.op("greater", y, 0.0), d, 0.0)),
        partials=(lambda g, y, x: np.where(x > 0, g, 0),),
    ),
    pointwise(
        "silu",
        _exact_silu,
        Code(_silu, ELEMENTARY, absolute=1e-35),
        "ops.silu(x)",
        "x * sigmoid(x) (also called swish).",
        edges=(0.0, -87.0, 87.0),
        derivative=unary(_of_silu),
        partials=(_silu_partial,),
    ),
    pointwise(
        "softplus",
        _exact_softplus,
        Code(_softplus, ELEMENTARY, absolute=1e-37),
        "ops.softplus(x)",
        "log(1 + e^x), without overflow.",
        edges=(0.0, -87.0, 87.0),
        derivative=unary(lambda e, x, y, d: e.mul(d, e.op("sigmoid", x))),
        partials=(lambda g, y, x: g * _exact_sigmoid(x),),
    ),
    pointwise(
        "mish",
        _exact_mish,
        Code(_mish, ELEMENTARY, absolute=1e-35),
        "ops.mish(x)",
        "x * tanh(softplus(x)) (Misra 2019).",
        edges=(0.0, -87.0, 87.0),
        derivative=unary(_of_mish),
        partials=(_mish_partial,),
    ),
    pointwise(
        "softsign",
        _exact_softsign,
        _softsign,
        "ops.softsign(x)",
        "x / (1 + |x|).",
        derivative=unary(_of_softsign),
        partials=(lambda g, y, x: g / np.square(1 + np.abs(x)),),
    ),
    pointwise(
        "logsigmoid",
        _exact_logsigmoid,
        Code(_logsigmoid, ELEMENTARY, absolute=1e-37),
        "ops.logsigmoid(x)",
        "log(sigmoid(x)), without overflow.",
        edges=(0.0, -87.0, 87.0),
        derivative=unary(lambda e, x, y, d: e.mul(d, e.op("sigmoid", e.op("neg", x)))),
        partials=(lambda g, y, x: g * _exact_sigmoid(-x),),
    ),
)
