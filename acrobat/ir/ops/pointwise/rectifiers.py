"""Rectified linear units that are not 0 below 0. Their derivatives at 0 are PyTorch's: the limits
from below."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...typed import Atom, Const, Var
from ..arithmetic import Builder, Number, select
from ..definition import Array, Code
from ..derivative import Gradient, Operations, if_tensor, unary
from .record import ELEMENTARY, pointwise

# With these, activations tend to mean 0 and variance 1 as they pass through many layers.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _leaky_relu(m: Builder, x: Number, slope: Number) -> Number:
    return select(x < 0.0, x * slope, x)  # NaN stays NaN


def _elu(m: Builder, x: Number, alpha: Number) -> Number:
    return select(x < 0.0, m.apply("expm1", x) * alpha, x)


def _selu(m: Builder, x: Number) -> Number:
    return select(x < 0.0, m.apply("expm1", x) * _SELU_ALPHA, x) * _SELU_SCALE


def _exact_leaky_relu(x: Array, slope: Array) -> Array:
    return np.where(np.less(x, 0), np.multiply(x, slope), x)


def _exact_elu(x: Array, alpha: Array) -> Array:
    return np.where(np.less(x, 0), alpha * np.expm1(np.minimum(x, 0)), x)


def _exact_selu(x: Array) -> Array:
    return np.asarray(_SELU_SCALE * np.where(x < 0, _SELU_ALPHA * np.expm1(np.minimum(x, 0)), x))


def _of_leaky_relu(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
    x, slope = operands
    return (
        if_tensor(x, lambda: e.where(e.op("greater", x, 0.0), d, e.mul(d, slope))),
        if_tensor(slope, lambda: e.mul(d, _negative_part(e, x))),
    )


def _of_elu(e: Operations, operands: Sequence[Atom], y: Var, d: Var) -> tuple[Gradient, ...]:
    x, alpha = operands

    def of_x() -> Var:
        below = e.mul(alpha, e.op("exp", _negative_part(e, x)))
        return e.where(e.op("greater", x, 0.0), d, e.mul(d, below))

    def of_alpha() -> Var:
        if isinstance(x, Const):
            return e.mul(d, math.expm1(min(float(x.value), 0.0)))
        return e.mul(d, e.op("expm1", _negative_part(e, x)))

    return if_tensor(x, of_x), if_tensor(alpha, of_alpha)


def _negative_part(e: Operations, x: Atom) -> Var | float:
    return min(float(x.value), 0.0) if isinstance(x, Const) else e.op("minimum", x, 0.0)


def _of_selu(e: Operations, x: Var, y: Var, d: Var) -> Var:
    below = e.add(y, _SELU_SCALE * _SELU_ALPHA)
    return e.mul(d, e.where(e.op("greater", x, 0.0), _SELU_SCALE, below))


def _selu_partial(g: Array, y: Array, x: Array) -> Array:
    below = _SELU_ALPHA * np.exp(np.minimum(x, 0))
    return np.asarray(g * _SELU_SCALE * np.where(np.greater(x, 0), 1, below))


RECORDS = (
    pointwise(
        "leaky_relu",
        _exact_leaky_relu,
        _leaky_relu,
        "ops.leaky_relu(x, slope)",
        "x where it is above 0, else x * slope: a number, 0.01 if it is left out, or a tensor.",
        derivative=_of_leaky_relu,
        partials=(
            lambda g, y, x, slope: g * np.where(np.greater(x, 0), 1, slope),
            lambda g, y, x, slope: g * np.where(np.greater(x, 0), 0, x),
        ),
    ),
    pointwise(
        "elu",
        _exact_elu,
        Code(_elu, ELEMENTARY, absolute=1e-37),
        "ops.elu(x, alpha)",
        "x where it is above 0, else (e^x - 1) * alpha: 1 if it is left out (Clevert et al. 2016).",
        derivative=_of_elu,
        partials=(
            lambda g, y, x, alpha: g * np.where(x > 0, 1, alpha * np.exp(np.minimum(x, 0))),
            lambda g, y, x, alpha: g * np.where(x > 0, 0, np.expm1(np.minimum(x, 0))),
        ),
    ),
    pointwise(
        "selu",
        _exact_selu,
        Code(_selu, ELEMENTARY, absolute=1e-37),
        "ops.selu(x)",
        "1.0507 * elu(x, 1.6733), whose outputs normalise themselves (Klambauer et al. 2017).",
        derivative=unary(_of_selu),
        partials=(_selu_partial,),
    ),
)
