"""The derivatives of the point-wise operations.

An entry has a function for each operand, from the gradient g of the result y, y, and the operands
to that operand's gradient; None where the result does not change with it. Where operands are equal
`maximum` and `minimum` give each of them half, as `torch` does; `relu` and `abs` have 0 at 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..ir.ops.meaning import erf, sigmoid

Array = np.ndarray
Partial = Callable[..., Array]


COMPARISONS = ("less", "greater", "less_equal", "greater_equal", "equal", "not_equal")


def _share(larger: Array, equal: Array) -> Array:
    """1 where an operand is the result, 1/2 where both are."""
    return np.where(equal, 0.5, larger)


def _pow_base(g: Array, y: Array, a: Array, b: Array) -> Array:
    return np.asarray(g * np.where(np.equal(b, 0), 0.0, b * np.float_power(a, np.subtract(b, 1.0))))


def _pow_exponent(g: Array, y: Array, a: Array, b: Array) -> Array:
    zero = np.equal(a, 0) & np.greater_equal(b, 0)
    return np.asarray(g * np.where(zero, 0.0, y * np.log(np.where(zero, 1.0, a))))


def _normal(x: Array) -> Array:
    """The density of a standard normal variable."""
    return np.asarray(np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))


def _gelu(g: Array, y: Array, x: Array) -> Array:
    return np.asarray(g * (0.5 * (1.0 + erf(x / math.sqrt(2))) + x * _normal(x)))


def _silu(g: Array, y: Array, x: Array) -> Array:
    s = sigmoid(x)
    return np.asarray(g * s * (1 + x * (1 - s)))


PARTIALS: dict[str, tuple[Partial | None, ...]] = {
    "add": (lambda g, y, a, b: g, lambda g, y, a, b: g),
    "sub": (lambda g, y, a, b: g, lambda g, y, a, b: -g),
    "mul": (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a),
    "div": (lambda g, y, a, b: g / b, lambda g, y, a, b: -g * y / b),
    "maximum": (
        lambda g, y, a, b: g * _share(np.greater(a, b), np.equal(a, b)),
        lambda g, y, a, b: g * _share(np.greater(b, a), np.equal(a, b)),
    ),
    "minimum": (
        lambda g, y, a, b: g * _share(np.less(a, b), np.equal(a, b)),
        lambda g, y, a, b: g * _share(np.less(b, a), np.equal(a, b)),
    ),
    "where": (
        None,
        lambda g, y, c, a, b: np.where(np.not_equal(c, 0), g, 0),
        lambda g, y, c, a, b: np.where(np.not_equal(c, 0), 0, g),
    ),
    "pow": (_pow_base, _pow_exponent),
    "neg": (lambda g, y, x: -g,),
    "tanh": (lambda g, y, x: g * (1 - y * y),),
    "sigmoid": (lambda g, y, x: g * y * (1 - y),),
    "relu": (lambda g, y, x: np.where(x > 0, g, 0),),
    "gelu": (_gelu,),
    "silu": (_silu,),
    "softplus": (lambda g, y, x: g * sigmoid(x),),
    "erf": (lambda g, y, x: g * (2 / math.sqrt(math.pi)) * np.exp(-x * x),),
    "sin": (lambda g, y, x: g * np.cos(x),),
    "cos": (lambda g, y, x: -g * np.sin(x),),
    "exp": (lambda g, y, x: g * y,),
    "log": (lambda g, y, x: g / x,),
    "expm1": (lambda g, y, x: g * (y + 1),),
    "log1p": (lambda g, y, x: g / (1 + x),),
    "sqrt": (lambda g, y, x: g / (2 * y),),
    "rsqrt": (lambda g, y, x: g * -0.5 * y / x,),
    "abs": (lambda g, y, x: g * np.sign(x),),
    **dict.fromkeys(COMPARISONS, (None, None)),
    "stop_gradient": (None,),
    "uniform": (None, None, None),
}


def summed(g: Array, shape: tuple[int, ...]) -> Array:
    """The gradient of an operand of that shape, which the operation has broadcast."""
    if g.shape == shape:
        return g
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    repeated = tuple(i for i, (n, m) in enumerate(zip(shape, g.shape, strict=True)) if n != m)
    return g.sum(axis=repeated, keepdims=True) if repeated else g
