"""The derivatives of the operations that are not point-wise.

A rule takes the gradient g of the result y, y itself, the operands, the operation's attributes and
the position of an operand; it returns the contribution to that operand's gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..ir.ops.meaning import EPSILON, EXACT
from .broadcast import summed
from .contributions import Contribution, Part, Product

Array = np.ndarray
Operands = tuple[Any, ...]
Attrs = Mapping[str, Any]
Rule = Callable[[Array, Array, Operands, Attrs, int], Contribution]


def _matmul(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    a: Array = xs[0]
    b: Array = xs[1]
    if i == 2:  # the bias of `linear`
        return summed(g, xs[2].shape)
    if b.ndim == 1:
        if i == 0:
            return np.asarray(g[..., None] * b)
        return np.asarray(g * a if a.ndim == 1 else g @ a)
    if i == 0:
        return np.asarray(g @ b.T)
    return Product(np.atleast_2d(a), np.atleast_2d(g))


def _outer(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    return np.asarray(g @ xs[1] if i == 0 else xs[0] @ g)


def _concat(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    axis = attrs.get("axis", -1) % xs[0].ndim
    start = sum(x.shape[axis] for x in xs[:i])
    return np.asarray(g[(slice(None),) * axis + (slice(start, start + xs[i].shape[axis]),)])


def _slice(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    part = slice(attrs["start"], attrs["stop"])
    return Part((slice(None),) * attrs.get("axis", 0) + (part,), g)


def _softmax(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    return np.asarray(y * (g - (g * y).sum(axis=-1, keepdims=True)))


def _log_softmax(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    return np.asarray(g - np.exp(y) * g.sum(axis=-1, keepdims=True))


def _normalised(g: Array, x: Array, scale: Array, centre: bool) -> tuple[Array, Array]:
    """Return the gradient of x in `layer_norm` and `rms_norm`, and the normalised x before it is
    scaled."""
    about = x - x.mean(axis=-1, keepdims=True) if centre else x
    root = np.sqrt((about * about).mean(axis=-1, keepdims=True) + EPSILON)
    unit, d = about / root, g * scale
    d_about = (d - unit * (d * unit).mean(axis=-1, keepdims=True)) / root
    return d_about - d_about.mean(axis=-1, keepdims=True) if centre else d_about, unit


def _norm(centre: bool) -> Rule:
    def rule(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
        x, scale = xs[:2]
        if i == 2:
            return summed(g, xs[2].shape)
        dx, unit = _normalised(g, x, scale, centre)
        return dx if i == 0 else summed(g * unit, scale.shape)

    return rule


def _spread(of: Array, x: Array, attrs: Attrs) -> Array:
    """Reshape a reduction's result, or its gradient, so that it broadcasts to x."""
    axis = attrs.get("axis", "all")
    return np.reshape(of, (1,) * x.ndim) if axis == "all" else np.expand_dims(of, axis)


def _sum(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    return np.broadcast_to(_spread(g, xs[0], attrs), xs[0].shape)


def _mean(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    return np.broadcast_to(_spread(g * (g.size / xs[0].size), xs[0], attrs), xs[0].shape)


def _max(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    """Elements that are equally largest get equal shares of the gradient, as in `torch.amax`."""
    axis = attrs.get("axis", "all")
    largest = (xs[0] == _spread(y, xs[0], attrs)).astype(g.dtype)
    count = largest.sum(axis=None if axis == "all" else axis, keepdims=True)
    return np.asarray(_spread(g, xs[0], attrs) * largest / count)


def _logsumexp(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    return np.asarray(_spread(g, xs[0], attrs) * np.exp(xs[0] - _spread(y, xs[0], attrs)))


def _attention(g: Array, y: Array, xs: Operands, attrs: Attrs, i: int) -> Contribution:
    heads = attrs["heads"]
    d = xs[0].shape[-1] // heads

    def split(a: Array) -> Array:
        return a.reshape(-1, heads, d).transpose(1, 0, 2)

    q, k, v, out = (split(a) for a in (*xs, g))
    weights = EXACT["softmax"](q @ k.transpose(0, 2, 1) / math.sqrt(d))
    if i == 2:
        made = weights.transpose(0, 2, 1) @ out
    else:
        d_weights = out @ v.transpose(0, 2, 1)
        inner = (d_weights * weights).sum(axis=-1, keepdims=True)
        d_scores = weights * (d_weights - inner) / math.sqrt(d)
        made = d_scores @ k if i == 0 else d_scores.transpose(0, 2, 1) @ q
    return np.asarray(made.transpose(1, 0, 2).reshape(xs[i].shape))


RULES: dict[str, Rule] = {
    "matmul": _matmul,
    "linear": _matmul,
    "outer": _outer,
    "transpose": lambda g, y, xs, attrs, i: g.T,
    "reshape": lambda g, y, xs, attrs, i: g.reshape(xs[0].shape),
    "concat": _concat,
    "stack": lambda g, y, xs, attrs, i: g[i],
    "slice": _slice,
    "lookup": lambda g, y, xs, attrs, i: Part(int(xs[1]), g),
    "index": lambda g, y, xs, attrs, i: Part(attrs["key"], g),
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "rms_norm": _norm(centre=False),
    "layer_norm": _norm(centre=True),
    "sum": _sum,
    "mean": _mean,
    "max": _max,
    "logsumexp": _logsumexp,
    "attention": _attention,
}
