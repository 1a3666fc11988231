"""Products of tensors."""

from __future__ import annotations

from ..tensor import Tensor
from .apply import apply

__all__ = [
    "attention",
    "cumsum",
    "dot",
    "linear",
    "matmul",
    "outer",
]


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b: [K] or [M, K] by [K, N] or [K]."""
    return apply("matmul", a, b)


def dot(a: Tensor, b: Tensor) -> Tensor:
    """The sum of the products of two vectors (rank 0)."""
    return apply("matmul", a, b)


def linear(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """x @ w + b for x [K] or [M, K], w [K, N], b [N] (may be left out); [N] or [M, N]."""
    return apply("linear", x, w) if b is None else apply("linear", x, w, b)


def outer(x: Tensor, y: Tensor) -> Tensor:
    """x[:, None] * y for x [M], y [N]; [M, N]."""
    return apply("outer", x, y)


def cumsum(x: Tensor, axis: int | None = None) -> Tensor:
    """The sums of the elements up to each, of a vector, or along an axis of a matrix: a product
    with a triangular matrix, in which a NaN or an infinity spreads to the sums before it."""
    ones = apply("triangle", n=x.shape[-1 if axis is None else axis])
    turned = x.ndim > 1 and axis is not None and axis % x.ndim == 0
    return apply("matmul", ones.T, x) if turned else apply("matmul", x, ones)


def attention(q: Tensor, k: Tensor, v: Tensor, heads: int) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, section 3.2) of [S, H] matrices, per head
    of H / heads columns, the heads side by side. Where only the instance knows the number of keys
    and values, there may be another one of queries, or one vector."""
    return apply("attention", q, k, v, heads=heads)
