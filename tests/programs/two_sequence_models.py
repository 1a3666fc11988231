"""Attention between two sequences: matrices both sizes of which only the instance knows."""

# Models as they are written in a hurry.
# mypy: disable-error-code="misc, arg-type"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

PAIRS = [([1, 2, 3], [4]), ([5], [3, 1]), ([7, 2, 7, 0], [8, 4, 6]), ([1] * 9, [2, 3] * 6)]


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


def softmax(s: Any) -> Any:
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@ab.model
def sizes(p: P, xs: list[int], ys: list[int]) -> Any:
    s = p.emb[xs] @ p.emb[ys].T
    n, m = s.shape
    return n, m, s.shape[0], s.shape[1], s.shape[-1], s.shape[-2], len(s), s * m


@ab.model
def parts(p: P, xs: list[int], ys: list[int]) -> Any:
    s = p.emb[xs] @ p.emb[ys].T
    i, j = xs[0] % len(xs), ys[0] % len(ys)
    return s[0], s[-1], s[i, j], s[0, -1], s[:1], s[:, 0], s[:, -1], s[1:, j], s[:i][:, j]


@ab.model
def rows_one_by_one(p: P, xs: list[int], ys: list[int]) -> Any:
    s = p.emb[xs] @ p.emb[ys].T
    found = []
    for k, row in enumerate(s):
        found.append((row * k) @ p.emb[ys])
    return found, [int(np.argmax(row)) for row in s]


@ab.model
def along_columns(p: P, xs: list[int], ys: list[int]) -> Any:
    s = p.emb[xs] @ p.emb[ys].T
    return (
        s.max(axis=0),
        s.sum(axis=0, keepdims=True),
        s.mean(0),
        s.min(axis=0),
        ops.softmax(s, axis=0),
        ops.log_softmax(s, axis=0),
        ops.logsumexp(s, axis=0),
    )


@ab.model
def turned(p: P, xs: list[int], ys: list[int]) -> Any:
    s = p.emb[xs] @ p.emb[ys].T
    return s.T, s.T.shape[1], s.T.T, s.T.sum(axis=1), (s > 0.1).T * s.T, s.T[0], s.T @ p.emb[xs]


@ab.model
def both_ways(p: P, xs: list[int], ys: list[int]) -> Any:
    """Co-attention (Xiong, Zhong, Socher 2017)."""
    x, y = p.emb[xs], p.emb[ys]
    s = x @ p.w @ y.T
    return softmax(s) @ y, softmax(s.T) @ x


@ab.model
def triangle(p: P, xs: list[int], ys: list[int]) -> Any:
    return np.tril(p.emb[xs] @ p.emb[ys].T)


@ab.model
def without_rows(p: P, xs: list[int], ys: list[int]) -> Any:
    few = p.emb[xs][: len(xs) // 2]
    return few, few @ p.b, few.T, few @ p.w


MODELS = [
    sizes,
    parts,
    rows_one_by_one,
    along_columns,
    turned,
    both_ways,
    triangle,
    without_rows,
]
