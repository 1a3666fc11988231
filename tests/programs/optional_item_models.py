"""Models with lists and dicts whose items are None, or whole numbers, until others are stored."""

# Models as they are written in a hurry.
# ruff: noqa: C420, UP045
# mypy: ignore-errors

from __future__ import annotations

from typing import Any, Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def heads(p: P, xs: list[int]) -> Any:
    found = [None] * len(xs)
    labels = [None for _ in xs]
    for i, x in enumerate(xs):
        if x % 2:
            found[i] = x
            labels[i] = "odd"
    return found, labels, [h is None for h in found], [h for h in found if h is not None]


@ab.model
def memoised(p: P, xs: list[int]) -> Any:
    memo = [None] * 30

    def f(k):
        if memo[k] is not None:
            return memo[k]
        r = p.emb[k] if k < 2 else ops.tanh(f(k - 1) @ p.w + f(k - 2))
        memo[k] = r
        return r

    return [f(x) for x in xs]


def fill(p, chart, xs):
    for i, x in enumerate(xs):
        chart[i][i + 1] = (p.emb[x], 0.0)


@ab.model
def chart_parser(p: P, xs: list[int]) -> Any:
    n = len(xs)
    chart = [[None] * (n + 1) for _ in range(n + 1)]
    back = {}
    fill(p, chart, xs)
    for w in range(2, n + 1):
        for i in range(n - w + 1):
            j, best = i + w, None
            for k in range(i + 1, j):
                left, a = chart[i][k]
                right, b = chart[k][j]
                h = ops.tanh(left @ p.w + right)
                s = float(h.sum()) + a + b
                if best is None or s > best[1]:
                    best = (h, s)
                    back[i, j] = k
            chart[i][j] = best
    return chart[0][n][0] if n else p.b, back


@ab.model
def some_are_none(p: P, xs: list[int]) -> Any:
    out, total = [], p.b
    for x in xs:
        if x % 2:
            out.append(None)
        else:
            out.append(p.emb[x])
    for o in out:
        if o is not None:
            total = total + o
    return out, total, [None, 1, None], [0.5] + [None] * len(xs)


@ab.model
def parts_of_tuples(p: P, xs: list[int]) -> Any:
    best = [(None, -1.0)] * 3
    for x in xs:
        if x > best[x % 3][1]:
            best[x % 3] = (x, float(x))
    return best


@ab.model
def in_dicts(p: P, xs: list[int]) -> Any:
    last = {k: None for k in range(3)}
    for i, x in enumerate(xs):
        before = last[x % 3]
        last[x % 3] = i if before is None else before + i
    d = {}
    for x in xs:
        d[x] = None
    for x in xs:
        if x > 2:
            d[x] = p.emb[x]
    return last, d


@ab.model
def hinted(p: P, xs: list[int]) -> Any:
    h: list[Optional[Float32[Tensor, "H"]]] = [None] * len(xs)
    rows: list[list[Optional[int]]] = []
    g: list = [None, None]
    g[0] = 1.5
    for i, x in enumerate(xs):
        h[i] = p.emb[x]
        rows.append([None, x])
    return h, g, rows, [[(x, x + 1)] for x in xs]


@ab.model
def slots(p: P, xs: list[int]) -> Any:
    memory = [None] * 3
    for i, x in enumerate(xs):
        free = [j for j, m in enumerate(memory) if m is None]
        j = free[0] if free else i % 3
        memory[j] = p.emb[x] if memory[j] is None else ops.tanh(memory[j] + p.emb[x])
    return memory


@ab.model
def halves(p: P, xs: list[int]) -> Any:
    scores, grid, d = [0] * 4, [[0] * 3 for _ in range(3)], {}
    for x in xs:
        scores[x % 4] += 0.5 * x
        grid[x % 3][x % 2] += 0.25
        d[x % 3] = 0
    for x in xs:
        d[x % 3] = d[x % 3] + x / 2
    row = [0, 0, 0]
    row[1] = 0.5
    return sum(scores), [sum(g) + 0.5 for g in grid], d, sum(row), max(row)


MODELS = (
    heads, memoised, chart_parser, some_are_none, parts_of_tuples, in_dicts, hinted, slots, halves,
)  # fmt: skip
