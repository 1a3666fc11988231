"""Functions and methods of numpy that are composed of the operations there are."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, arg-type"

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


@ab.model
def statistics(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.var(h),
        np.std(h),
        np.var(p.w, axis=1),
        np.std(p.w, axis=0, keepdims=True),
        np.std([float(p.emb[x][0]) for x in xs]),
        h.var(),
        h.std(),
        p.w.var(axis=-1),
        np.std([p.emb[x] for x in xs], axis=0),
        np.var(xs),
        np.std(xs),
    )


@ab.model
def statistics_of_rows(p: P, xs: list[int]) -> Any:
    return (
        np.var(p.emb[xs], axis=0),
        np.std(p.emb[xs], axis=1),
        np.var(p.emb[xs]),
        p.emb[xs].std(axis=0),
    )


@ab.model
def means_and_products(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        np.mean([h @ v, 1.0]),
        np.sum([h @ v, 1]),
        np.average(h),
        np.average([p.emb[x] for x in xs], axis=0, weights=[1.0 for x in xs]),
        np.median(h),
        np.prod(h),
        h.prod(),
        np.prod([2.0, float(len(xs))]),
        np.prod(xs),
        np.ptp(h),
        np.count_nonzero(h > 0),
        np.sum(p.w, axis=(0, 1)),
        h.sum(dtype=np.float32),
    )


@ab.model
def formulas(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        np.einsum("ij,j->i", p.w, h),
        np.einsum("i,ij->j", h, p.w),
        np.einsum("ij,jk->ik", p.w, p.w),
        np.einsum("i,i->", h, v),
        np.einsum("i,j->ij", h, v),
        np.einsum("ij,ij->ij", p.w, p.w),
        np.einsum("ij->i", p.w),
        np.einsum("ij->ji", p.w),
        np.einsum("ij,ij->", p.w, p.w),
        np.einsum("ik,jk->ij", p.w, p.w),
        np.einsum("i,ij,j->", h, p.w, v),
        np.einsum("ij->j", p.w),
        np.einsum("i,ij->ij", h, p.w),
        np.einsum("ij,j->i", p.emb[xs], h),
        np.einsum("nh,n->h", p.emb[xs], p.emb[xs] @ h),
        np.einsum("nh,mh->nm", p.emb[xs], p.emb[xs]),
        np.einsum("ij,ij->i", p.w, p.w),
        np.einsum("ij,ji->ij", p.w, p.w),
        np.einsum("ki,kj->ji", p.w, p.w),
    )


@ab.model
def joined_with_numbers(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        np.hstack([h, h @ v]),
        np.hstack([h, 1.0]),
        np.concatenate([h, [1.0, 2]]),
        np.concatenate([h, [h @ v]]),
        np.append(h, 1.0),
        np.append(h, h @ v),
        np.append(h, v),
        np.concatenate([p.w, h[None, :]], axis=0),
        np.stack([h, v], axis=1),
        np.stack([h, v], axis=-1),
        np.column_stack([h, v]),
    )


@ab.model
def cut_and_repeated(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.roll(h, 1),
        np.roll(h, -1),
        np.roll(p.w, 1, axis=0),
        np.roll(p.w, -1, axis=1),
        np.pad(h, (1, 2)),
        np.pad(h, 1),
        np.pad(p.w, ((0, 1), (0, 0))),
        np.pad(h, (0, 2), constant_values=1.0),
        np.pad(p.w, 1),
        np.pad(h, 2, mode="constant"),
        np.tile(h, 2),
        np.tile(h, (3, 1)),
        np.repeat(h, 2),
        np.repeat(h[None, :], 3, axis=0),
        np.split(h, 2),
        np.split(p.w, 2, axis=0),
        np.split(h, 4),
        np.flip(h),
        np.flip(p.w, axis=0),
        np.diff(h),
    )


@ab.model
def of_single_elements(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        np.sign(h),
        np.square(h),
        np.log1p(1.5 * len(xs)),
        np.log2(h * h),
        np.log10(h * h),
        np.exp2(h),
        np.reciprocal(h),
        np.fabs(h),
        np.sinh(h),
        np.logaddexp(h, v),
        np.logaddexp(float(h @ v), 1.0),
        np.greater(h, v),
        np.logical_and(h > 0, v > 0),
        np.logical_not(h > 0),
        np.isnan(h),
        bool(np.isnan(h).any()),
        bool(np.all(np.isfinite(h))),
        np.isinf(h),
        bool(np.any(h > 0)),
        bool(np.all(h > 0)),
        np.allclose(h, v),
        np.array_equal(h, v),
        np.sign(float(h @ v)),
        bool(np.isnan(float(h @ v))),
    )


@ab.model
def of_nan_and_infinity(p: P, xs: list[int]) -> Any:
    low = np.where(p.b > 0, p.b, -np.inf)
    none = np.where(p.b > 0, p.b, np.nan)
    return (
        np.logaddexp(low, low),
        np.logaddexp(low, p.b),
        np.isinf(low),
        np.sign(low),
        np.triu(p.w * np.inf, k=1),
        np.isnan(none),
        np.sign(none),
        np.allclose(none, none),
    )


@ab.model
def places_in_order(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    order = np.argsort(-h, kind="stable")[:2]
    ranks = np.argsort(p.emb[xs] @ p.b, kind="stable")
    return h[order], [int(i) + 1 for i in order], order[0] + 1, [xs[i] for i in ranks]


@ab.model
def normalised(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    k = (k - k.mean(-1, keepdims=True)) / (k.std(-1, keepdims=True) + 1e-5)
    s = k @ p.b / math.sqrt(len(p.b))
    a = np.exp(s - np.max(s))
    a /= np.sum(a)
    return np.dot(a, k)


@ab.model
def gates(p: P, xs: list[int]) -> Any:
    z = np.concatenate([p.w @ p.b, p.w @ p.emb[xs[0]]])
    i, f, g, o = np.split(z, 4)
    first, rest = np.split(z, [3])
    return i * f + g * o, first, rest


@ab.model
def added_in_place(p: P, xs: list[int]) -> Any:
    s = np.zeros_like(p.b)
    n = np.zeros(4, dtype=np.float32)
    for x in xs:
        s += p.emb[x]
        n += np.square(p.emb[x])
    s /= len(xs)
    t = n.copy()
    t *= 2.0
    return s, n, np.sqrt(n), t


@ab.model
def rolled_by_the_instance(p: P, xs: list[int]) -> Any:
    m = np.stack([p.emb[x] for x in xs])
    v = np.array([float(x) for x in xs])
    return (
        np.roll(p.b, xs[0]),
        np.roll(p.b, -7 * xs[0]),
        sum(p.b[j] * np.roll(np.tanh(p.b), j - 1) for j in range(3)),
        np.roll(m, xs[0], axis=0),
        np.roll(m, 1, axis=0),
        np.roll(p.w, xs[-1], axis=0),
        np.roll(v, xs[0]),
        np.roll(v, -1),
    )


MODELS = (
    statistics,
    statistics_of_rows,
    means_and_products,
    formulas,
    joined_with_numbers,
    cut_and_repeated,
    of_single_elements,
    of_nan_and_infinity,
    places_in_order,
    normalised,
    gates,
    added_in_place,
    rolled_by_the_instance,
)
