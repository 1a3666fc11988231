"""Indices of tensors, axes as arguments, and tensors of rank 0 as numbers."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment, arg-type, call-overload"

from __future__ import annotations

import math
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


def summed(x, axis):
    return x.sum(axis=axis)


def scaled(x, n):
    return x * n


def softmax_axis(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def total(x, axis=None):
    return x.sum(axis=axis)


def kept(x, keepdims=False):
    return x.sum(axis=-1, keepdims=keepdims)


def joined(x, axis):
    return np.concatenate([x, x], axis=axis)


@ab.model
def rows_by_list(p: P, xs: list[int]) -> Any:
    v = p.b
    return (
        p.emb[xs],
        p.emb[[1, 2]],
        p.emb[xs].sum(axis=0),
        p.emb[xs].mean(0),
        p.b[[0, 2]],
        p.emb[np.array(xs)],
        p.emb[:, [0, 2]],
        p.emb[[-1, 0]],
        p.emb[[x % 3 for x in xs]],
        p.emb[[*xs[1:], 2]],
        v[[x % 4 for x in xs]],
        np.stack([p.emb[x] for x in xs])[[0, 0]],
        np.stack([p.emb[x] for x in xs])[:, [0, 2]],
        p.w[:, [x % 4 for x in xs]],
        p.emb[np.arange(3)],
    )


@ab.model
def steps(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        h[::-1],
        h[::2],
        p.w[::-1],
        p.w[:, ::-1],
        np.stack([p.emb[x] for x in xs])[::-1],
        np.stack([p.emb[x] for x in xs])[::2],
        (h > 0)[::-1],
        h[3:0:-1],
        p.w[1::2],
    )


@ab.model
def new_axes(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        h[np.newaxis, :] + p.w,
        h[:, np.newaxis] * p.w,
        (h @ v)[None],
        h[..., None],
        (np.stack([p.emb[x] for x in xs]) @ v)[:, None],
        np.stack([p.emb[x] for x in xs]) * (np.stack([p.emb[x] for x in xs]) @ v)[:, None],
    )


@ab.model
def ellipses(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        h[..., 0],
        p.w[..., 0],
        p.w[..., 1:],
        h[...],
        p.w[..., -1],
        np.stack([p.emb[x] for x in xs])[..., 0],
        np.stack([p.emb[x] for x in xs])[..., :2],
    )


@ab.model
def numbers_of_rank_0(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        math.exp(h @ v),
        math.tanh(h @ v),
        1 / (1 + math.exp(-(h @ v))),
        round(h @ v),
        abs(h @ v),
        abs(h - v),
        abs(p.w),
        math.pow(h @ h, 2),
        math.floor(h @ v),
        math.hypot(h[0], h[1]),
        math.isnan(h @ v),
        math.sqrt(h @ h),
        math.log(h @ h),
        max(h @ v, 0.0),
        max(float(len(xs)), h @ v),
        min(h @ v, 1.5),
        min(h[0], h[1], v[2]),
    )


@ab.model
def axes_as_arguments(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        summed(p.w, 1),
        summed(p.w, axis=0),
        scaled(h, 3),
        softmax_axis(p.w, -1),
        softmax_axis(h),
    )


@ab.model
def parameters_of_reductions(p: P, xs: list[int]) -> Any:
    return total(p.w), total(p.w, 0), kept(p.w, True), kept(p.w), joined(p.w, 0), joined(p.w, -1)


@ab.model
def local_softmax(p: P, xs: list[int]) -> Any:
    def soft(z: Any, axis: int = -1) -> Any:
        e = np.exp(z - np.max(z, axis=axis, keepdims=True))
        return e / np.sum(e, axis=axis, keepdims=True)

    return soft(p.w), soft(p.w, 0), soft(p.b)


@ab.model
def best_of_elements(p: P, xs: list[int]) -> Any:
    scores = p.emb[xs] @ p.b
    best, at = float("-inf"), -1
    for i in range(len(xs)):
        if scores[i] > best:
            best, at = scores[i], i
    return at, best, math.exp(scores[0]), max(scores[0], 0.0), min(scores[0], 0.5, scores[-1])


MODELS = (
    rows_by_list,
    steps,
    new_axes,
    ellipses,
    numbers_of_rank_0,
    axes_as_arguments,
    parameters_of_reductions,
    local_softmax,
    best_of_elements,
)
