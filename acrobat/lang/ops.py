"""The tensor operations, in their plain numpy meaning. All take and return float32.

The operators + - * / @, unary -, `x[a:b]` and `table[i]` are operations too.
"""

from __future__ import annotations

import numpy as np

from ..ir.ops import OPS

Array = np.ndarray
Operand = Array | float


def _apply(name: str, *args: Operand) -> Array:
    result: Array = OPS[name].numpy(*args)
    return result


def add(a: Operand, b: Operand) -> Array:
    """a + b, element-wise; one of them may be a number."""
    return _apply("add", a, b)


def sub(a: Operand, b: Operand) -> Array:
    """a - b, element-wise; one of them may be a number."""
    return _apply("sub", a, b)


def mul(a: Operand, b: Operand) -> Array:
    """a * b, element-wise; one of them may be a number."""
    return _apply("mul", a, b)


def div(a: Operand, b: Operand) -> Array:
    """a / b, element-wise; one of them may be a number."""
    return _apply("div", a, b)


def neg(x: Array) -> Array:
    """-x."""
    return _apply("neg", x)


def tanh(x: Array) -> Array:
    """Hyperbolic tangent, element-wise."""
    return _apply("tanh", x)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)), element-wise, without overflow."""
    return _apply("sigmoid", x)


def relu(x: Array) -> Array:
    """max(x, 0), element-wise."""
    return _apply("relu", x)


def matmul(x: Array, w: Array) -> Array:
    """x @ w for a vector x [K] and a weight w [K, N]; returns [N]."""
    return _apply("matmul", x, w)


def linear(x: Array, w: Array, b: Array | None = None) -> Array:
    """x @ w + b for x [K], w [K, N], b [N]; returns [N]."""
    return _apply("linear", x, w) if b is None else _apply("linear", x, w, b)


def concat(*xs: Array) -> Array:
    """The vectors one after the other."""
    return _apply("concat", *xs)


def split(x: Array, n: int) -> tuple[Array, ...]:
    """`n` equal parts of a vector whose length `n` divides."""
    if x.shape[-1] % n:
        raise ValueError(f"split of a vector of {x.shape[-1]} into {n} equal parts")
    return tuple(np.split(x, n))
