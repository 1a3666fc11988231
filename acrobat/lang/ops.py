"""The tensor operations, in their plain numpy meaning. All take and return float32.

The operators + - * / @, unary -, `x[a:b]` and `table[i]` are operations too. Point-wise operations,
those before `matmul`, broadcast: a vector [N] over the rows of a matrix [M, N], a number or a
tensor of rank 0 over everything.

What an operation is to the compiler stands in its record (`ir.ops`); the functions here are what
people and type checkers see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.ops import OPS
from .draws import DRAWS
from .observe import OBSERVER
from .tensor import Tensor

Operand = Tensor | float


def _apply(name: str, *args: object, **attrs: object) -> Tensor:
    args = tuple(map(_numbers, args))
    observer = OBSERVER.get()
    if observer is not None:
        return observer.operation(name, args, attrs)  # type: ignore[no-any-return]
    result: Tensor = OPS[name].numpy(*args, **attrs)
    return result


def _numbers(x: object) -> object:
    """The truth values that numpy's comparisons give as 1.0 and 0.0; anything else as it is."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.bool_:
        return x.astype(np.float32)
    return x


def _tensors(xs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors that an operation gets: one by one, or as a list."""
    return tuple(xs[0]) if len(xs) == 1 and isinstance(xs[0], (list, tuple)) else xs


def _sizes(dims: tuple[Any, ...]) -> tuple[int, ...]:
    """The dimensions that an operation gets: one by one, or as a shape."""
    return tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims


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


def less_equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a <= b, else 0.0."""
    return _apply("less_equal", a, b)


def greater_equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a >= b, else 0.0."""
    return _apply("greater_equal", a, b)


def equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a == b, else 0.0."""
    return _apply("equal", a, b)


def not_equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a != b, else 0.0."""
    return _apply("not_equal", a, b)


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


def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x) (also called swish)."""
    return _apply("silu", x)


def softplus(x: Tensor) -> Tensor:
    """log(1 + e^x), without overflow."""
    return _apply("softplus", x)


def erf(x: Tensor) -> Tensor:
    """The error function."""
    return _apply("erf", x)


def sin(x: Tensor) -> Tensor:
    """Sine; beyond 8192 its error grows with x."""
    return _apply("sin", x)


def cos(x: Tensor) -> Tensor:
    """Cosine; beyond 8192 its error grows with x."""
    return _apply("cos", x)


def exp(x: Tensor) -> Tensor:
    """e^x."""
    return _apply("exp", x)


def log(x: Tensor) -> Tensor:
    """Natural logarithm."""
    return _apply("log", x)


def expm1(x: Tensor) -> Tensor:
    """e^x - 1, also where e^x is near 1."""
    return _apply("expm1", x)


def log1p(x: Tensor) -> Tensor:
    """log(1 + x), also where x is near 0."""
    return _apply("log1p", x)


def pow(a: Operand, b: Operand) -> Tensor:
    """a to the power of b; one of them may be a number."""
    return _apply("pow", a, b)


def sqrt(x: Tensor) -> Tensor:
    """Square root."""
    return _apply("sqrt", x)


def abs(x: Tensor) -> Tensor:
    """|x|."""
    return _apply("abs", x)


def stop_gradient(x: Tensor) -> Tensor:
    """x, as a constant of whatever is differentiated."""
    return _apply("stop_gradient", x)


def dropout(x: Tensor, p: float) -> Tensor:
    """x with each element 0 with probability p and divided by 1 - p else, in a step of training
    (Srivastava et al. 2014); elsewhere x. Which are 0 follows from the step's seed and number, the
    instance, and how often it has dropped out before."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout with probability {p}: it is between 0 and 1")
    draws = DRAWS.get()
    return x if draws is None else mul(x, draws.mask(x.shape, p))


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b: [K] or [M, K] by [K, N] or [K]."""
    return _apply("matmul", a, b)


def dot(a: Tensor, b: Tensor) -> Tensor:
    """The sum of the products of two vectors (rank 0)."""
    return _apply("matmul", a, b)


def clip(x: Tensor, low: Operand, high: Operand) -> Tensor:
    """x, but not below `low` nor above `high`."""
    return minimum(maximum(x, low), high)


def cumsum(x: Tensor, axis: int | None = None) -> Tensor:
    """The sums of the elements up to each, of a vector, or along an axis of a matrix: a product
    with a triangular matrix, in which a NaN or an infinity spreads to the sums before it."""
    ones = _apply("triangle", n=x.shape[-1 if axis is None else axis])
    turned = x.ndim > 1 and axis is not None and axis % x.ndim == 0
    return _apply("matmul", ones.T, x) if turned else _apply("matmul", x, ones)


def linear(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """x @ w + b for x [K] or [M, K], w [K, N], b [N] (may be left out); [N] or [M, N]."""
    return _apply("linear", x, w) if b is None else _apply("linear", x, w, b)


def outer(x: Tensor, y: Tensor) -> Tensor:
    """x[:, None] * y for x [M], y [N]; [M, N]."""
    return _apply("outer", x, y)


def transpose(x: Tensor) -> Tensor:
    """[N, M] of [M, N]."""
    return _apply("transpose", x)


def reshape(x: Tensor, *dims: int | tuple[int, ...]) -> Tensor:
    """The same elements, row by row, in another shape."""
    return _apply("reshape", x, shape=_sizes(dims))


def concat(*xs: Tensor | Sequence[Tensor], axis: int = -1) -> Tensor:
    """The tensors one after the other: vectors, or matrices along their last axis or axis 0."""
    return _apply("concat", *_tensors(xs), axis=axis)


def stack(*xs: Tensor | Sequence[Tensor]) -> Tensor:
    """Vectors [N] as the rows of a matrix [k, N]; a list of them may have any length but 0."""
    return _apply("stack", *_tensors(xs))


def split(x: Tensor, n: int) -> tuple[Tensor, ...]:
    """`n` equal parts along the last axis, whose length `n` divides."""
    if x.shape[-1] % n:
        raise ValueError(f"split of a vector of {x.shape[-1]} into {n} equal parts")
    width = x.shape[-1] // n
    return tuple(x[..., i * width : (i + 1) * width] for i in range(n))


def softmax(x: Tensor) -> Tensor:
    """exp(x) over its sum, along the last axis."""
    return _apply("softmax", x)


def log_softmax(x: Tensor) -> Tensor:
    """The logarithm of softmax, without overflow."""
    return _apply("log_softmax", x)


def rms_norm(x: Tensor, g: Tensor) -> Tensor:
    """x / sqrt(mean(x * x) + 1e-5) * g along the last axis (Zhang, Sennrich 2019)."""
    return _apply("rms_norm", x, g)


def layer_norm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """(x - mean) / sqrt(variance + 1e-5) * g + b along the last axis (Ba et al. 2016)."""
    return _apply("layer_norm", x, g, b)


def sum(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The sum of all elements (rank 0), or along an axis."""
    return _reduce("sum", x, axis, keepdims)


def mean(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The mean of all elements (rank 0), or along an axis."""
    return _reduce("mean", x, axis, keepdims)


def max(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The largest element (rank 0), or the largest along an axis; NaN if there is one."""
    return _reduce("max", x, axis, keepdims)


def min(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The least element (rank 0), or the least along an axis; NaN if there is one."""
    return neg(max(neg(x), axis, keepdims))


def logsumexp(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over all elements (rank 0) or along an axis, without overflow."""
    return _reduce("logsumexp", x, axis, keepdims)


def _reduce(name: str, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    result = _apply(name, x, axis="all" if axis is None else axis)
    if not keepdims:
        return result
    shape = tuple(1 if axis is None or i == axis % x.ndim else n for i, n in enumerate(x.shape))
    return _apply("reshape", result, shape=shape)


def cross_entropy(logits: Tensor, label: int) -> Tensor:
    """-log_softmax(logits)[label] of a vector (rank 0), without overflow. A negative label counts
    from the end."""
    return sub(logsumexp(logits), logits[label])


def attention(q: Tensor, k: Tensor, v: Tensor, heads: int) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, section 3.2) of [S, H] matrices, per head
    of H / heads columns, the heads side by side. Where only the instance knows the number of keys
    and values, there may be another one of queries, or one vector."""
    return _apply("attention", q, k, v, heads=heads)


def one_hot(index: int, n: int) -> Tensor:
    """A vector [n] with 1 at `index`, which counts from the end if it is negative, and 0
    elsewhere."""
    if not -n <= index < n:
        raise IndexError(f"one_hot of {index} in a vector of {n}")
    return _apply("one_hot", index, n=n)


def zeros(*dims: int | tuple[int, ...]) -> Tensor:
    """A tensor of zeros."""
    return _apply("zeros", shape=_sizes(dims))


def ones(*dims: int | tuple[int, ...]) -> Tensor:
    """A tensor of ones."""
    return add(zeros(*dims), 1.0)


def zeros_like(x: Tensor) -> Tensor:
    """Zeros in the shape of x."""
    return zeros(*x.shape)


def ones_like(x: Tensor) -> Tensor:
    """Ones in the shape of x."""
    return ones(*x.shape)


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
