"""Rows and columns whose number only the instance knows, broadcast as numpy does."""

# Models as they are written in a hurry.
# mypy: disable-error-code="misc, arg-type"

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
def attention(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    s = k @ k.T / np.sqrt(k.shape[1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    return a @ k


@ab.model
def columns_and_rows(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    q = p.emb[[*[x for x in xs if x > 0], 1]]
    s = q @ k.T
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return (
        (e / e.sum(axis=1, keepdims=True)) @ k,
        s + (q @ p.b)[:, None],
        s * (k @ p.b)[None],
        (k @ p.b)[None] + s,
    )


@ab.model
def cosines(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    n = np.linalg.norm(k, axis=1)
    return (k @ k.T) / (n[:, None] * n[None, :])


@ab.model
def cosines_by_columns(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    n = np.linalg.norm(k, axis=1, keepdims=True)
    return (k @ k.T) / n / n.T, np.where(k @ k.T > n, 1.0, 0.0)


@ab.model
def softmax_along_an_axis(p: P, xs: list[int]) -> Any:
    def soft(z: Any, axis: int = -1) -> Any:
        e = np.exp(z - np.max(z, axis=axis, keepdims=True))
        return e / np.sum(e, axis=axis, keepdims=True)

    k = p.emb[xs]
    return soft(k @ k.T), soft(k @ k.T, axis=1), soft(k @ p.b), soft(k), soft(k, 0), soft(p.w)


@ab.model
def outer_product(p: P, xs: list[int]) -> Any:
    s = p.emb[xs] @ p.b
    return s[:, None] * s[None]


@ab.model
def distances(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    sq = (k * k).sum(axis=1)
    return sq[:, None] + sq[None, :] - 2 * k @ k.T


@ab.model
def causal_attention(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    s = k @ k.T / 2.0
    s = np.where(np.tril(np.ones_like(s)) > 0, s, -1e9)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ k


@ab.model
def masks(p: P, xs: list[int]) -> Any:
    n = len(xs)
    k = np.stack([p.emb[x] for x in xs])
    later = np.triu(np.ones((n, n)), k=1) * -1e9
    return k @ k.T * np.tril(np.ones((n, n))), later, np.zeros((n, 4)) + 1, np.ones((n, n + 1)) * 2


@ab.model
def triangles(p: P, xs: list[int]) -> Any:
    k = p.emb[xs]
    s = k @ k.T
    return np.tril(s), np.triu(s, k=1), np.tril(s, -1), np.triu(k), np.tril(k, k=len(xs) - 2)


MODELS = (
    causal_attention,
    masks,
    triangles,
    attention,
    columns_and_rows,
    cosines,
    cosines_by_columns,
    softmax_along_an_axis,
    outer_product,
    distances,
)
