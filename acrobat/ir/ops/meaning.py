"""What the operations on whole tensors compute, in numpy. Results are float32."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .definition import Array

EPSILON = 1e-5  # of layer_norm and rms_norm
LARGEST = float(np.finfo(np.float32).max)


def linear(x: Array, w: Array, b: Array | None = None) -> Array:
    product: Array = x @ w
    return product if b is None else product + b


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _log_softmax(x: Array) -> Array:
    shifted = x - x.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def logsumexp(x: Array, axis: int | None) -> Array:
    """The maximum subtracted is finite, so that -infinity alone gives -infinity, not NaN."""
    most = np.clip(np.max(x, axis=axis, keepdims=True), -LARGEST, LARGEST)
    return np.asarray(np.log(np.sum(np.exp(x - most), axis=axis)) + np.squeeze(most, axis))


def _rms_norm(x: Array, g: Array) -> Array:
    squares = (x * x).mean(axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(squares + EPSILON) * g)


def triangle(*, n: int) -> Array:
    return np.triu(np.ones((n, n), dtype=np.float32))


def _layer_norm(x: Array, g: Array, b: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + EPSILON) * g + b)


def _reduction(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(x: Array, *, axis: int | str = "all") -> Array:
        return np.asarray(function(x, axis=None if axis == "all" else axis))

    return run


def slice_(x: Array, *, start: int, stop: int, axis: int = 0) -> Array:
    return x[start:stop] if axis == 0 else x[:, start:stop]


def attention(q: Array, k: Array, v: Array, *, heads: int) -> Array:
    d = q.shape[-1] // heads
    qs, ks, vs = (a.reshape(-1, heads, d).transpose(1, 0, 2) for a in (q, k, v))
    scores = qs @ ks.transpose(0, 2, 1) / math.sqrt(d)
    return np.asarray((_softmax(scores) @ vs).transpose(1, 0, 2).reshape(q.shape))


def eye(*, n: int) -> Array:
    return np.eye(n, dtype=np.float32)


def parts(*, n: int, width: int) -> Array:
    return np.repeat(eye(n=n), width // n, axis=1)


def positions(*, shape: tuple[int, ...]) -> Array:
    return np.arange(math.prod(shape), dtype=np.float32).reshape(shape)


def not_dropped(x: Array, p: float) -> Array:
    return x


def one_hot(i: int, *, n: int) -> Array:
    return np.asarray(eye(n=n)[i])


def float32(function: Callable[..., object]) -> Callable[..., Array]:
    """`function` with a float32 result, even where numpy would give a scalar or a truth value."""
    return lambda *args, **attrs: np.asarray(function(*args, **attrs), dtype=np.float32)


# Operations that sum or reduce, in the precision of their operands.
EXACT: dict[str, Callable[..., Array]] = {
    "matmul": np.matmul,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "sum": _reduction(np.sum),
    "mean": _reduction(np.mean),
    "max": _reduction(np.max),
    "logsumexp": _reduction(logsumexp),
}
