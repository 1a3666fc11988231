"""What the operations compute, in numpy. Results are float32."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .definition import Array

EPSILON = 1e-5  # of layer_norm


def sigmoid(x: Array) -> Array:
    with np.errstate(over="ignore"):  # e^-x = inf gives the right 0
        return np.asarray(1 / (1 + np.exp(-x)))


def relu(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0))


def rsqrt(x: Array) -> Array:
    return np.asarray(1 / np.sqrt(x))


_erf = np.frompyfunc(math.erf, 1, 1)


def gelu(x: Array) -> Array:
    erf = np.asarray(_erf(np.asarray(x, dtype=np.float64) / math.sqrt(2.0)), dtype=np.float64)
    return np.asarray(x * 0.5 * (1.0 + erf))


def linear(x: Array, w: Array, b: Array | None = None) -> Array:
    product: Array = x @ w
    return product if b is None else product + b


def where(c: Array, a: Array, b: Array) -> Array:
    return np.where(np.asarray(c) != 0, a, b)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True), dtype=np.float32)


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + np.float32(EPSILON)) * g + b, dtype=np.float32)


def reduction(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(x: Array, *, axis: int | str = "all") -> Array:
        over = None if axis == "all" else axis
        return np.asarray(function(x, axis=over), dtype=np.float32)

    return run


def slice_(x: Array, *, start: int, stop: int, axis: int = 0) -> Array:
    return x[start:stop] if axis == 0 else x[:, start:stop]


def attention(q: Array, k: Array, v: Array, *, heads: int) -> Array:
    s, h = q.shape
    d = h // heads
    qs, ks, vs = (a.reshape(s, heads, d).transpose(1, 0, 2) for a in (q, k, v))
    scores = qs @ ks.transpose(0, 2, 1) / np.float32(math.sqrt(d))
    return np.asarray((softmax(scores) @ vs).transpose(1, 0, 2).reshape(s, h))


def eye(*, n: int) -> Array:
    return np.eye(n, dtype=np.float32)


def one_hot(i: int, *, n: int) -> Array:
    return np.asarray(eye(n=n)[i])


def float32(function: Callable[..., object]) -> Callable[..., Array]:
    """`function` with a float32 result, also where numpy would give a scalar or a truth value."""
    return lambda *args: np.asarray(function(*args), dtype=np.float32)
