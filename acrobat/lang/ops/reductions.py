"""Reductions, normalisations, and numbers taken out of tensors."""

from __future__ import annotations

import numpy as np

from ..observe import OBSERVER
from ..tensor import Tensor
from .apply import apply, numbers_of
from .pointwise import neg, sub

__all__ = [
    "argmax",
    "cross_entropy",
    "item",
    "layer_norm",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "rms_norm",
    "softmax",
    "sum",
]


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
    result = apply(name, x, axis="all" if axis is None else axis)
    if not keepdims:
        return result
    shape = tuple(1 if axis is None or i == axis % x.ndim else n for i, n in enumerate(x.shape))
    return apply("reshape", result, shape=shape)


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """exp(x) over its sum, along the last axis or another one."""
    return _along("softmax", x, axis)


def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """The logarithm of softmax, without overflow, along the last axis or another one."""
    return _along("log_softmax", x, axis)


def _along(name: str, x: Tensor, axis: int) -> Tensor:
    rank = len(x.shape)
    if axis in (-1, rank - 1):
        return apply(name, x)
    if rank != 2 or axis not in (0, -2):
        raise ValueError(f"{name} of rank {rank} has no axis {axis}")
    return apply("transpose", apply(name, apply("transpose", x)))


def rms_norm(x: Tensor, g: Tensor) -> Tensor:
    """x / sqrt(mean(x * x) + 1e-5) * g along the last axis (Zhang, Sennrich 2019)."""
    return apply("rms_norm", x, g)


def layer_norm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """(x - mean) / sqrt(variance + 1e-5) * g + b along the last axis (Ba et al. 2016)."""
    return apply("layer_norm", x, g, b)


def cross_entropy(logits: Tensor, label: int) -> Tensor:
    """-log_softmax(logits)[label] of a vector (rank 0), without overflow. A negative label counts
    from the end."""
    return sub(logsumexp(logits), logits[label])


def argmax(x: Tensor) -> int:
    """The position of the largest element of a vector, the first of equals, or of its first NaN.
    Control flow that depends on it is tensor-dependent."""
    observer = OBSERVER.get()
    if observer is not None:
        observer.chooses(x)
    return int(np.argmax(numbers_of(x)))


def item(x: Tensor) -> float:
    """The number in a tensor of one element. Control flow that depends on it is
    tensor-dependent."""
    number = float(numbers_of(x).reshape(()))
    observer = OBSERVER.get()
    return number if observer is None else observer.number(x, number)
