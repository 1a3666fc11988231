"""Models that fill arrays of numpy item by item: with one name for each, and with others."""

# Models as they are written in a hurry.
# ruff: noqa: E731
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, arg-type"

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


@ab.model
def edit_distance(p: P, xs: list[int]) -> Any:
    n = len(xs)
    D = np.zeros((n + 1, n + 1))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            c = 1 - float(ops.tanh(p.emb[xs[i - 1]] @ p.emb[xs[j - 1]]))
            D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + c)
    return D[n, n]


@ab.model
def states(p: P, xs: list[int]) -> Any:
    H = np.zeros((len(xs), 4))
    h = p.b
    for i, x in enumerate(xs):
        h = ops.tanh(h @ p.w + p.emb[x])
        H[i] = h
    a = ops.softmax(H @ h)
    return a @ H, H[0], H[-1, 0]


@ab.model
def knapsack(p: P, xs: list[int]) -> Any:
    score = np.full(5, -1e9)
    back = np.zeros(5, dtype=int)
    score[0] = 0.0
    for x in xs:
        for k in range(1, 5):
            s = score[k - 1] + float(p.emb[x][0])
            if s > score[k]:
                score[k] = s
                back[k] = x
        score[0] *= 0.5
    return score[4], back[2], int(np.argmax(score)), score.max(), len(score)


@ab.model
def chart(p: P, xs: list[int]) -> Any:
    n = len(xs)
    chart = np.zeros((n, n))
    split = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        chart[i][i] = float(p.emb[xs[i]][0])
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            j = i + span - 1
            best, k0 = max((chart[i, k] + chart[k + 1, j], k) for k in range(i, j))
            chart[i, j] = best
            split[i, j] = k0
    return chart[0, n - 1], split[0, n - 1]


@ab.model
def whole_numbers(p: P, xs: list[int]) -> Any:
    a = np.zeros(len(xs), dtype=int)
    for i, x in enumerate(xs):
        a[i] = x * 1.7
        a[-1] += 2
    s = 0
    for v in a:
        s += v
    return s, list(a), a.tolist(), a.max(), sum(a), int(a.sum()), len(a), a.shape[0]


@ab.model
def two_kinds(p: P, xs: list[int]) -> Any:
    a = np.full((2, len(xs)), np.inf)
    seen = np.zeros(10, dtype=bool)
    n, m = a.shape
    for j in range(m):
        a[0, j] = xs[j]
        a[1][j] = float(p.emb[xs[j]][0])
        a[1, j] *= 2
        seen[xs[j]] = True
    return a[0, -1], a[1][0], a.shape[1], n, seen[3], sum(seen), [j for j in range(10) if seen[j]]


@ab.model
def scores(p: P, xs: list[int]) -> Any:
    sc = np.zeros(len(xs))
    for i, x in enumerate(xs):
        sc[i] = p.emb[x] @ p.b
    w = np.exp(sc - sc.max())
    w = w / w.sum()
    best = int(np.argmax(sc))
    return w, best, sc, sc[1:].sum() if len(xs) > 1 else 0.0, sorted(sc)[0], max(sc)


@ab.model
def filled_rows(p: P, xs: list[int]) -> Any:
    H = np.zeros((len(xs) + 1, 4), dtype=np.float32)
    for t, x in enumerate(xs):
        H[t + 1] = np.tanh(H[t] @ p.w + p.emb[x])
        H[t + 1] += p.b
    return H[1:].sum() if len(xs) > 1 else H[0].sum(), H[-1] * 1.0, np.mean(H, axis=0)


@ab.model
def made_again(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        a = np.zeros(4)
        for k in range(4):
            a[k] = x * k
        out.append(a[3] + a[1])
    return out


@ab.model
def second_name(p: P, xs: list[int]) -> Any:
    a = np.zeros(3)
    b = a
    a[0] = 1.0
    return b[0]


@ab.model
def row_with_a_name(p: P, xs: list[int]) -> Any:
    H = np.zeros((2, 4))
    r = H[0]
    H[0] = p.b
    return r


@ab.model
def view_with_a_name(p: P, xs: list[int]) -> Any:
    a = np.zeros(3)
    v = a[1:]
    a[1] = 2.0
    return v[0]


@ab.model
def in_a_list(p: P, xs: list[int]) -> Any:
    a = np.zeros(3)
    ys = [a]
    a[0] = 5.0
    return ys[0][0]


@ab.model
def in_a_lambda(p: P, xs: list[int]) -> Any:
    a = np.zeros(3)
    f = lambda: a
    a[0] = 5.0
    return f()[0]


ALONE = (
    edit_distance,
    states,
    knapsack,
    chart,
    whole_numbers,
    two_kinds,
    scores,
    filled_rows,
    made_again,
)
SHARED = (second_name, row_with_a_name, view_with_a_name, in_a_list, in_a_lambda)
