"""Models that call functions of numpy on tensors, lists of tensors and numbers."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, arg-type"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def argmax_of_tensors(p: P, xs: list[int]) -> Any:
    return np.argmax(p.emb[xs[0]]), int(np.argmin(p.emb[xs[0]]))


@ab.model
def of_lists(p: P, xs: list[int]) -> Any:
    ys = [float(p.emb[x][0]) for x in xs]
    return np.argmax(ys), np.argmin(ys), np.sum(ys), np.mean(ys), np.max(ys), np.min(ys)


@ab.model
def of_lists_of_tensors(p: P, xs: list[int]) -> Any:
    hs = [p.emb[x] for x in xs]
    return np.mean(hs, axis=0), np.max(hs, axis=0), np.sum(hs, axis=0), np.mean(np.stack(hs), 0)


@ab.model
def joined(p: P, xs: list[int]) -> Any:
    return (
        np.concatenate([p.emb[xs[0]], p.b]),
        np.hstack((p.b, p.b)),
        np.vstack([p.b, p.emb[0]]),
        np.concatenate((p.w, p.emb[:4]), axis=0),
        np.concatenate([p.w, p.w], axis=-1),
    )


@ab.model
def norms(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.linalg.norm(h),
        np.linalg.norm(p.w, axis=1),
        np.clip(h, -0.5, 0.5),
        np.clip(xs[0], 2, 3),
        np.dot(h, p.w),
        np.dot(h, p.b),
    )


@ab.model
def whole_arrays(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.where(h > 0, h, p.b),
        np.outer(h, p.b),
        np.zeros_like(h),
        np.ones_like(h),
        np.cumsum(h),
        np.transpose(p.w),
        np.sum(h),
        np.mean(p.w, axis=1),
        np.sum(p.w, axis=0),
        np.reshape(p.w, (16,)),
    )


@ab.model
def loop_on_a_norm(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    n = 0
    while np.linalg.norm(h) > 0.3 and n < 9:
        h = h * 0.5
        n += 1
    return h, n


@ab.model
def row_by_argmax(p: P, xs: list[int]) -> Any:
    return p.emb[np.argmax([float(p.emb[x][1]) for x in xs])]


@ab.model
def of_ints(p: P, xs: list[int]) -> Any:
    return np.mean(xs), np.sum(xs), np.max(xs)


@ab.model
def popped_twice(p: P, xs: list[int]) -> Any:
    ys = [1, 2, *xs]
    return np.stack([p.emb[ys.pop()], p.emb[ys.pop()]])


MODELS = (
    argmax_of_tensors,
    of_lists,
    of_lists_of_tensors,
    joined,
    norms,
    whole_arrays,
    loop_on_a_norm,
    row_by_argmax,
    of_ints,
    popped_twice,
)
