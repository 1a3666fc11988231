"""Operations that arrange elements, and tensors of constants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tensor import Tensor
from .apply import apply, sizes_of, tensors_of
from .pointwise import add

__all__ = [
    "concat",
    "one_hot",
    "ones",
    "ones_like",
    "reshape",
    "split",
    "stack",
    "transpose",
    "zeros",
    "zeros_like",
]


def transpose(x: Tensor) -> Tensor:
    """[N, M] of [M, N]."""
    return apply("transpose", x)


def reshape(x: Tensor, *dims: int | tuple[int, ...]) -> Tensor:
    """The same elements, row by row, in another shape."""
    return apply("reshape", x, shape=sizes_of(dims))


def concat(*xs: Tensor | Sequence[Tensor], axis: int = -1) -> Tensor:
    """The tensors one after the other: vectors, or matrices along their last axis or axis 0."""
    return apply("concat", *tensors_of(xs), axis=axis)


def stack(*xs: Tensor | Sequence[Tensor]) -> Tensor:
    """Vectors [N] as the rows of a matrix [k, N]; a list of them may have any length but 0."""
    numbers = [np.float32(x) if isinstance(x, float) else x for x in tensors_of(xs)]
    return apply("stack", *numbers)


def split(x: Tensor, n: int, axis: int = -1) -> tuple[Tensor, ...]:
    """`n` equal parts along the last axis or another one, whose length `n` divides."""
    length = x.shape[axis]
    if length % n:
        raise ValueError(f"split of a vector of {length} into {n} equal parts")
    width = length // n
    if axis % len(x.shape) < len(x.shape) - 1:
        return tuple(x[i * width : (i + 1) * width] for i in range(n))
    return tuple(x[..., i * width : (i + 1) * width] for i in range(n))


def zeros(*dims: int | tuple[int, ...]) -> Tensor:
    """A tensor of zeros."""
    return apply("zeros", shape=sizes_of(dims))


def ones(*dims: int | tuple[int, ...]) -> Tensor:
    """A tensor of ones."""
    return add(zeros(*dims), 1.0)


def zeros_like(x: Tensor) -> Tensor:
    """Zeros in the shape of x."""
    return zeros(*x.shape)


def ones_like(x: Tensor) -> Tensor:
    """Ones in the shape of x."""
    return ones(*x.shape)


def one_hot(index: int, n: int) -> Tensor:
    """A vector [n] with 1 at `index`, which counts from the end if it is negative, and 0
    elsewhere."""
    if not -n <= index < n:
        raise IndexError(f"one_hot of {index} in a vector of {n}")
    return apply("one_hot", index, n=n)
