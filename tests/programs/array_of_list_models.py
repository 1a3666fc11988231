"""Arrays of lists that the instance makes, and arrays of sizes that only the instance knows."""

# Models as they are written in a hurry.
# mypy: disable-error-code="misc, arg-type, call-overload, index"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


def softmax(s: Any) -> Any:
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@ab.model
def joined_vectors(p: P, xs: list[int]) -> Any:
    vs = []
    for w in xs:
        if w > 2:
            vs.append(p.emb[w])
    vs.append(p.b)
    padded = [np.zeros(4), *vs, np.zeros(4)]
    wide = np.concatenate([p.w, p.w, p.w.T])
    return (
        (np.concatenate(vs), np.hstack(vs), ops.concat(vs), np.concatenate([v[:3] for v in vs])),
        (np.concatenate([v[None] for v in vs]), np.vstack([v[None, :] for v in vs])),
        [np.tanh(np.concatenate(padded[i : i + 3]) @ wide) for i in range(len(vs))],
    )


@ab.model
def joined_matrices(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    ms = [x]
    for k in range(len(xs)):
        ms.append(p.emb[xs[k:]] * k)
    return (
        (np.concatenate(ms, axis=0), np.vstack(ms), np.concatenate([m @ p.b for m in ms])),
        (np.vstack([p.b[None], x]), np.concatenate([x, p.w[:2]]), np.concatenate([p.w, x, p.w], 0)),
        (np.concatenate([p.b, x @ p.b]), np.concatenate([x @ p.b, p.b, p.b])),
    )


@ab.model
def truth_values(p: P, xs: list[int]) -> Any:
    m = np.array([w > 3 for w in xs])
    x = p.emb[xs]
    return (
        (np.where(m[:, None], x, 0.0), x * m[:, None], np.where(m & (x @ p.b > 0), 1.0, 0.0)),
        (
            m.sum() * 1.0,
            (~m).sum() * 0.5,
            m.astype(np.float32),
            np.array([w > 3 for w in xs], dtype=float),
        ),
    )


@ab.model
def arrays_of_truth_values(p: P, xs: list[int]) -> Any:
    n, x = len(xs), p.emb[xs]
    s = x @ x.T
    causal = np.tril(np.ones((n, n), dtype=bool))
    later = np.triu(np.ones((n, n)), k=1).astype(bool)
    masked = s + 0.0
    masked[~causal] = -1e9
    known = np.tril(np.ones((4, 4), dtype=bool)) & np.ones(4, dtype=bool)
    return (
        (softmax(np.where(causal, s, -1e9)), softmax(np.where(later, -np.inf, s)), softmax(masked)),
        (np.where(known, p.w, 0.0), p.b.astype(bool) * 1.0, (s > 0).astype(bool) * s),
        (np.tri(n), np.tri(4) @ p.b, np.where(np.zeros(n, dtype=bool), 1.0, 2.0)),
        (x * (np.array(xs) != 0)[:, None], np.where((np.asarray(xs) > 2) & later[0], 1.0, 0.0)),
    )


@ab.model
def nested_lists(p: P, xs: list[int]) -> Any:
    n = len(xs)
    near = np.array([[1.0 if abs(i - j) == 1 else 0.0 for j in range(n)] for i in range(n)])
    rows = []
    for i, w in enumerate(xs):
        row = []
        for j, v in enumerate(xs):
            row.append(p.emb[w] @ p.emb[v] if j <= i else -1e9)
        rows.append(row)
    bias = np.array([[p.b[min(abs(i - j), 3)] for j in range(n)] for i in range(n)])
    wide = np.array([[float(i * j) for j in range(n + 1)] for i in range(n)])
    return near @ p.emb[xs], softmax(np.array(rows) + bias) @ p.emb[xs], wide, wide.sum(axis=0)


@ab.model
def products_of_vectors(p: P, xs: list[int]) -> Any:
    a, c = p.emb[xs] @ p.b, p.emb[xs[:1]] @ p.b
    return np.outer(a, a), np.outer(a, c), np.outer(a, p.b), np.outer(p.b, a), ops.outer(c, a)


@ab.model
def identities(p: P, xs: list[int]) -> Any:
    n, x = len(xs), p.emb[xs]
    return (
        (np.eye(n), np.eye(n) @ x, np.identity(n + 1), x @ x.T - 1e9 * np.eye(n)),
        (np.eye(n)[xs[0] % n], np.eye(len(xs))[0] @ x),
    )


@ab.model
def sums_so_far(p: P, xs: list[int]) -> Any:
    n, x = len(xs), p.emb[xs]
    return (
        (np.cumsum(x, axis=0), x.cumsum(axis=1), np.cumsum(x @ p.b), x.cumsum(0)[-1]),
        (np.cumsum(x.T, axis=0), np.cumsum(x.T, axis=1)),
        (np.cumsum(x, axis=0) / np.arange(1, n + 1)[:, None], np.arange(n, 0, -1) * 1.0),
        (np.arange(1, n + 1), np.arange(0, n, 2) + 1.0),
    )


@ab.model
def graph_convolution(p: P, xs: list[int]) -> Any:
    """Kipf and Welling 2017, over a chain."""
    n = len(xs)
    a = np.zeros((n, n))
    for i in range(n - 1):
        a[i, i + 1] = 1.0
        a[i + 1, i] = 1.0
    a = a + np.eye(n)
    d = a.sum(axis=1)
    h = p.emb[xs]
    for _ in range(2):
        h = np.tanh((a / np.sqrt(np.outer(d, d))) @ h @ p.w)
    return h.mean(axis=0)


@ab.model
def positions(p: P, xs: list[int]) -> Any:
    """The encoding of Vaswani et al. 2017, in two ways."""
    n, d = len(xs), 4
    place = np.arange(n)[:, None]
    rate = np.exp(np.arange(0, d, 2) * -(np.log(10000.0) / d))
    pe = np.zeros((n, d))
    pe[:, 0::2] = np.sin(place * rate)
    pe[:, 1::2] = np.cos(place * rate)
    angles = [[pos / np.power(10000, 2 * (j // 2) / d) for j in range(d)] for pos in range(n)]
    again = np.sin(np.array(angles))
    return pe, p.emb[xs] + pe, p.emb[xs] + again, again @ p.w, again * p.b


@ab.model
def columns_with_a_step(p: P, xs: list[int]) -> Any:
    known, rows = np.zeros((3, 4)), np.zeros((len(xs), 4))
    known[:, ::2] = p.emb[:3, :2]
    known[:, 1::2] = p.b[:2]
    known[:, ::-1] = known + 1.0
    rows[:, ::2] = p.emb[xs][:, :2]
    rows[:, 1::2] += p.b[:2]
    rows[:, 3::-3] = xs[0]
    rows[:, 0::2] = rows[:, 1::2] + np.inf
    rows[:, ::3] = p.b[0]
    return known, rows


MODELS = [
    positions,
    columns_with_a_step,
    joined_vectors,
    joined_matrices,
    truth_values,
    arrays_of_truth_values,
    nested_lists,
    products_of_vectors,
    identities,
    sums_so_far,
    graph_convolution,
]
