"""The tensor operations, in their plain numpy meaning. All take and return float32.

The operators + - * / @, unary -, `x[a:b]` and `table[i]` are operations too. Point-wise operations,
those before `matmul`, broadcast: a vector [N] over the rows of a matrix [M, N], a number or a
tensor of rank 0 over everything.

What an operation is to the compiler stands in its record (`ir.ops`); the functions here are what
people and type checkers see.
"""

from __future__ import annotations

import numpy as np

from ..ir.ops import OPS
from .observe import OBSERVER
from .tensor import Tensor

Operand = Tensor | float


def _apply(name: str, *args: object, **attrs: object) -> Tensor:
    observer = OBSERVER.get()
    if observer is not None:
        return observer.operation(name, args, attrs)  # type: ignore[no-any-return]
    result: Tensor = OPS[name].numpy(*args, **attrs)
    return result


def add(a: Operand, b: Operand) -> Tensor:
    """a + b; one of them may be a number."""
    return _apply("add", a, b)


def sub(a: Operand, b: Operand) -> Tensor:
    """a - b; one of them may be a number."""
    return _apply("sub", a, b)


def mul(a: Operand, b: Operand) -> Tensor:
    """a * b; one of them may be a number."""
    return _apply("mul", a, b)


def div(a: Operand, b: Operand) -> Tensor:
    """a / b; one of them may be a number."""
    return _apply("div", a, b)


def maximum(a: Operand, b: Operand) -> Tensor:
    """The larger of a and b; NaN if either is."""
    return _apply("maximum", a, b)


def minimum(a: Operand, b: Operand) -> Tensor:
    """The smaller of a and b; NaN if either is."""
    return _apply("minimum", a, b)


def less(a: Operand, b: Operand) -> Tensor:
    """1.0 where a < b, else 0.0."""
    return _apply("less", a, b)


def greater(a: Operand, b: Operand) -> Tensor:
    """1.0 where a > b, else 0.0."""
    return _apply("greater", a, b)


def where(c: Operand, a: Operand, b: Operand) -> Tensor:
    """a where c is not 0 (NaN is not), else b."""
    return _apply("where", c, a, b)


def neg(x: Tensor) -> Tensor:
    """-x."""
    return _apply("neg", x)


def tanh(x: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return _apply("tanh", x)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), without overflow."""
    return _apply("sigmoid", x)


def relu(x: Tensor) -> Tensor:
    """max(x, 0)."""
    return _apply("relu", x)


def gelu(x: Tensor) -> Tensor:
    """x * P(Z <= x) for a standard normal Z, by the error function (Hendrycks, Gimpel 2016)."""
    return _apply("gelu", x)


def exp(x: Tensor) -> Tensor:
    """e^x."""
    return _apply("exp", x)


def log(x: Tensor) -> Tensor:
    """Natural logarithm."""
    return _apply("log", x)


def sqrt(x: Tensor) -> Tensor:
    """Square root."""
    return _apply("sqrt", x)


def abs(x: Tensor) -> Tensor:
    """|x|."""
    return _apply("abs", x)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b: [K] or [M, K] by [K, N] or [K]."""
    return _apply("matmul", a, b)


def linear(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """x @ w + b for x [K] or [M, K], w [K, N], b [N] (may be left out); [N] or [M, N]."""
    return _apply("linear", x, w) if b is None else _apply("linear", x, w, b)


def outer(x: Tensor, y: Tensor) -> Tensor:
    """x[:, None] * y for x [M], y [N]; [M, N]."""
    return _apply("outer", x, y)


def transpose(x: Tensor) -> Tensor:
    """[N, M] of [M, N]."""
    return _apply("transpose", x)


def reshape(x: Tensor, *dims: int) -> Tensor:
    """The same elements, row by row, in another shape."""
    return _apply("reshape", x, shape=dims)


def concat(*xs: Tensor, axis: int = -1) -> Tensor:
    """The tensors one after the other: vectors, or matrices along their last axis or axis 0."""
    return _apply("concat", *xs, axis=axis)


def stack(*xs: Tensor) -> Tensor:
    """Vectors [N] as the rows of a matrix [k, N]."""
    return _apply("stack", *xs)


def split(x: Tensor, n: int) -> tuple[Tensor, ...]:
    """`n` equal parts along the last axis, whose length `n` divides."""
    if x.shape[-1] % n:
        raise ValueError(f"split of a vector of {x.shape[-1]} into {n} equal parts")
    return tuple(np.split(x, n, axis=-1))


def softmax(x: Tensor) -> Tensor:
    """exp(x) over its sum, along the last axis."""
    return _apply("softmax", x)


def layer_norm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """(x - mean) / sqrt(variance + 1e-5) * g + b along the last axis (Ba et al. 2016)."""
    return _apply("layer_norm", x, g, b)


def sum(x: Tensor, axis: int | None = None) -> Tensor:
    """The sum of all elements (rank 0), or along axis 0 or -1."""
    return _apply("sum", x, axis="all" if axis is None else axis)


def mean(x: Tensor, axis: int | None = None) -> Tensor:
    """The mean of all elements (rank 0), or along axis 0 or -1."""
    return _apply("mean", x, axis="all" if axis is None else axis)


def max(x: Tensor, axis: int | None = None) -> Tensor:
    """The largest element (rank 0), or the largest along axis 0 or -1; NaN if there is one."""
    return _apply("max", x, axis="all" if axis is None else axis)


def attention(q: Tensor, k: Tensor, v: Tensor, heads: int) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, section 3.2) of [S, H] matrices, per head
    of H / heads columns, the heads side by side."""
    return _apply("attention", q, k, v, heads=heads)


def one_hot(index: int, n: int) -> Tensor:
    """A vector [n] with 1 at `index`, which counts from the end if it is negative, and 0
    elsewhere."""
    if not -n <= index < n:
        raise IndexError(f"one_hot of {index} in a vector of {n}")
    return _apply("one_hot", index, n=n)


def zeros(*dims: int) -> Tensor:
    """A tensor of zeros."""
    return _apply("zeros", shape=dims)


def argmax(x: Tensor) -> int:
    """The position of the largest element of a vector, the first of equals, or of its first NaN.
    Control flow that depends on it is tensor-dependent."""
    return int(np.argmax(np.asarray(x)))


def item(x: Tensor) -> float:
    """The number in a tensor of one element. Control flow that depends on it is
    tensor-dependent."""
    number = float(np.asarray(x).reshape(()))
    observer = OBSERVER.get()
    return number if observer is None else observer.number(x, number)
