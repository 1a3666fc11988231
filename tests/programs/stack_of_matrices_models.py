"""Tensors of rank 3 with one size that is known: the heads of attention, as people write it."""

# Models as they are written in a hurry.
# mypy: disable-error-code="misc, arg-type"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

HEADS, WIDTH = 2, 2


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


def softmax(s: Any) -> Any:
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def heads(x: Any) -> Any:
    return x.reshape(x.shape[0], HEADS, -1).transpose(1, 0, 2)


def merged(x: Any) -> Any:
    h, n, d = x.shape
    return x.transpose(1, 0, 2).reshape(n, h * d)


@ab.model
def self_attention(p: P, xs: list[int]) -> Any:
    x = np.stack([p.emb[w] for w in xs])
    for _ in range(2):
        q, k, v = heads(x @ p.w), heads(x), heads(x + p.b)
        x = x + merged(softmax(q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH)) @ v) @ p.w
    return x.mean(axis=0)


@ab.model
def by_hand(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    n, dm = x.shape
    q = np.swapaxes((x @ p.w).reshape(n, HEADS, dm // HEADS), 0, 1)
    scores = np.matmul(q, np.swapaxes(q, 1, 2)) + np.triu(np.ones((n, n)), 1) * -1e9
    o = np.moveaxis(softmax(scores) @ q, 0, 1)
    return np.reshape(o, (n, dm)), softmax(
        np.where(np.tril(np.ones((n, n)))[None] > 0, scores, -1e9)
    )


@ab.model
def by_einsum(p: P, xs: list[int]) -> Any:
    q = (p.emb[xs] @ p.w).reshape(len(xs), HEADS, -1)
    k = p.emb[xs].reshape((len(xs), HEADS, WIDTH))
    a = softmax(np.einsum("ihd,jhd->hij", q, k))
    return (
        np.einsum("hij,jhd->ihd", a, k).reshape(len(xs), -1),
        np.einsum("nhd,nhd->nh", q, k),
        np.einsum("nhd->hd", q),
        np.einsum("nhd,nhd->n", q, k),
        np.einsum("nhd,hd->nh", q, p.emb[:2, :2]),
        np.einsum("nhd,nhd->", q, k),
        np.einsum("nhd->dnh", q),
    )


@ab.model
def head_by_head(p: P, xs: list[int]) -> Any:
    q = (p.emb[xs] @ p.w).reshape(len(xs), HEADS, WIDTH)
    found = []
    for h in range(HEADS):
        found.append(softmax(q[:, h] @ q[:, h, :].T) @ q[:, h])
    both = q.transpose(1, 0, 2)
    first, second = both
    side_by_side = []
    for h in range(HEADS):
        side_by_side.append((p.emb[xs] @ p.w).reshape(len(xs), HEADS, -1)[:, h, :] * h)
    more = [a @ a.T for a in q.transpose(1, 0, 2)]
    a, b = np.split(p.emb[xs], HEADS, axis=1)
    return (
        np.concatenate(found, axis=1),
        np.stack(found, axis=1),
        np.stack(side_by_side, axis=1).reshape(len(xs), -1),
        np.stack(more).sum(axis=0),
        np.array(more).max(axis=0),
        first @ second.T,
        np.concatenate(q.transpose(1, 0, 2), axis=-1),
        np.concatenate([*both], axis=-1),
        np.concatenate([x * y for x, y in zip([first, second], [a, b], strict=True)], axis=1),
    )


@ab.model
def sizes(p: P, xs: list[int]) -> Any:
    q = p.emb[xs].reshape(len(xs), HEADS, -1)
    n, h, d = q.shape
    return n, h, d, q.shape[0], q.shape[-1], len(q), q.ndim, q.T.shape[2], len(q.T)


@ab.model
def parts(p: P, xs: list[int]) -> Any:
    q = p.emb[xs].reshape(len(xs), HEADS, -1)
    k = q.transpose(1, 0, 2)
    i = xs[0] % 2
    return (
        (q[0], q[-1], q[:, 0], q[:, -1], q[:, :, 0], q[..., 0], q[0, 1], q[0, :, 1], q[:, 1, 1]),
        (q[0, 1, 1], q[:, 0, 1:2], q[:, :, 1:], q[:1], q[:, 1:], q[:, i]),
        (
            k[0],
            k[1][0],
            k[:, 0],
            k[:, -1, :],
            k[:, :1],
            k[0, 0],
            k[:, :, 1],
            k[1:],
            k[i],
            k[0, 0, 0],
        ),
        (q, k, q.T, q.transpose(2, 0, 1), q.transpose(1, 2, 0), q.transpose(0, 2, 1)),
    )


@ab.model
def reductions(p: P, xs: list[int]) -> Any:
    q = p.emb[xs].reshape(len(xs), HEADS, -1)
    k = q.transpose(1, 0, 2)
    return (
        (q.sum(axis=0), q.sum(axis=1), q.sum(axis=2), q.mean(axis=1), q.max(axis=1), q.min(axis=0)),
        (k.sum(axis=0), k.sum(axis=1), k.sum(axis=2), k.std(axis=-1), k.var(axis=0)),
        (q.sum(), q.mean(), q.max(), q.min(), np.sum(k), np.max(k, axis=2), np.mean(k, axis=0)),
        (
            q.mean(axis=(0, 1)),
            q.sum(axis=(1, 2)),
            q.max(axis=(0, 2)),
            q.sum((-1, 0), keepdims=True),
        ),
        (k.sum(axis=0, keepdims=True), k.mean(axis=1, keepdims=True), k.min(2, keepdims=True)),
        (np.linalg.norm(k, axis=-1), np.where((k > 3).any(), 1.0, 0.0), ops.softmax(k)),
    )


@ab.model
def broadcast(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    q = x.reshape(len(xs), HEADS, -1)
    k = q.transpose(1, 0, 2)
    pad = np.array([1.0 if w else 0.0 for w in xs])
    slopes = 2.0 ** -np.arange(1, 3)
    return (
        (
            q + p.b[:2],
            q * p.emb[:2, :2],
            q - q.mean(axis=-1, keepdims=True),
            -q,
            q**2,
            2 / (2 + q * q),
        ),
        (k + p.b[:2], k * x[:, :2], k + x[:, :1], k - k[:1], k - k[0], np.where(k > 0, k, 0.0)),
        (k @ p.w[:2], x[:, :2].T @ k, q @ p.w[:2, :3], k @ k.transpose(0, 2, 1)),
        (k @ k.transpose(0, 2, 1) + pad[None, None, :], slopes[:, None, None] * (x @ x.T)),
        (
            x[None] @ p.w,
            (x.reshape(1, len(xs), -1) @ p.w)[0],
            x.reshape(1, -1, 4),
            np.expand_dims(x, 0),
            np.squeeze(x[None], axis=0),
        ),
    )


@ab.model
def carried(p: P, xs: list[int]) -> Any:
    q = p.emb[xs].reshape(len(xs), HEADS, -1)
    if len(xs) > 2:
        q = q * 2
    k = q if xs[0] > 3 else -q
    best = None
    several = []
    for x in xs:
        q = q + k
        several.append(q)
        if x > 3:
            best = q
    total = np.zeros((HEADS, WIDTH))
    for row in q:
        total = total + row
    return q, several[-1], total, q if best is None else best, {"q": q}, [r.sum() for r in q]


@ab.model
def weights_side_by_side(p: P, xs: list[int]) -> Any:
    w = np.stack([p.w, p.w.T])
    x = p.emb[xs]
    table = p.emb[:4].reshape(4, HEADS, -1)
    return x @ w, w.sum(axis=0), np.stack([x, x @ p.w], axis=1), table, table.transpose(1, 0, 2)


@ab.model
def step_by_step(p: P, xs: list[int]) -> Any:
    """Keys and values of all words so far, for each head."""
    ks, vs = [], []
    state = np.zeros(HEADS * WIDTH)
    for w in xs:
        x = p.emb[w] + state
        ks.append((x @ p.w).reshape(HEADS, -1))
        vs.append(x.reshape(HEADS, -1))
        q = x.reshape(HEADS, -1)
        found = []
        for i in range(HEADS):
            a = softmax(np.array([q[i] @ k[i] for k in ks]))
            found.append(sum(a[t] * vs[t][i] for t in range(len(vs))))
        state = np.concatenate(found) @ p.w
    return state


MODELS = [
    self_attention,
    by_hand,
    by_einsum,
    head_by_head,
    sizes,
    parts,
    reductions,
    broadcast,
    carried,
    weights_side_by_side,
    step_by_step,
]
