"""Models that begin with empty lists and dicts, whose items get a type only where some are put into
them."""

# Models as they are written in a hurry.
# ruff: noqa: RUF005
# mypy: disable-error-code="no-untyped-def, misc, var-annotated, assignment, arg-type"

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@dataclass
class Hyp:
    tokens: list[Any]
    h: Any
    score: float = 0.0


@ab.model
def beams(p: P, xs: list[int]) -> Any:
    hyps = [([], 0)]
    for x in xs:
        hyps = [(t + [(x, x)], s) for t, s in hyps]
    return hyps


@ab.model
def beams_of_objects(p: P, xs: list[int]) -> Any:
    hyps = [Hyp([], p.b)]
    for x in xs:
        hyps = [
            Hyp(h.tokens + [(x, h.score)], h.h + p.emb[x], h.score + k)
            for h in hyps
            for k in (0.5, 1.0)
        ][:3]
    return [(h.tokens, h.h, h.score) for h in hyps]


@ab.model
def beams_with_dicts(p: P, xs: list[int]) -> Any:
    hyps = [(p.b, {}, 0.0)]
    for x in xs:
        hyps = [(h + p.emb[x], {**d, x: (x, 1)}, s + 1) for h, d, s in hyps]
    return hyps


@ab.model
def nested_beams(p: P, xs: list[int]) -> Any:
    hyps = [[([], p.b)]]
    for x in xs:
        hyps = [[(t + [(x, h)], h + p.emb[x]) for t, h in row for _ in (0, 1)][:4] for row in hyps]
    return hyps


@ab.model
def best_so_far(p: P, xs: list[int]) -> Any:
    best = (None, -1.0, [])
    for x in xs:
        s = float(p.emb[x] @ p.b)
        if s > best[1]:
            best = (x, s, best[2] + [(x, s)])
    return best


@ab.model
def rows_of_pairs(p: P, xs: list[int]) -> Any:
    rows = [[]]
    for x in xs:
        rows = [r + [(x, p.emb[x])] for r in rows] + [[]]
    return rows, rows[0], rows[-1:], rows[::-1]


@ab.model
def state_in_a_tuple(p: P, xs: list[int]) -> Any:
    state = ([], ({}, []), 0)
    for x in xs:
        a, (d, b), n = state
        state = (a + [(x, n)], ({**d, x: (n, a)}, b + [(a, x)]), n + 1)
    return state


@ab.model
def one_or_the_other(p: P, xs: list[int]) -> Any:
    hyps = [([], [], 0)]
    for x in xs:
        a, b, n = hyps[-1]
        if x % 2:
            hyps = hyps + [(a + [(x, [])], b, n + 1)]
        else:
            hyps.append((a, [(x, a), *b], n))
    return hyps


@ab.model
def items_replaced(p: P, xs: list[int]) -> Any:
    rows = [([], 0) for _ in xs]
    for i, x in enumerate(xs):
        rows[i] = ([(x, p.emb[x])], x)
    d = {}
    for x in xs:
        d[x] = (x, [(x, 1)])
        if x in d:
            d[x + 1] = (0, [])
    return rows, d


@ab.model
def paths_in_a_queue(p: P, xs: list[int]) -> Any:
    queue = deque([([], 0)])
    out = []
    while queue:
        path, i = queue.popleft()
        if i == len(xs):
            out.append(path)
        else:
            queue.append((path + [(i, xs[i])], i + 1))
    return out


@ab.model
def literals(p: P, xs: list[int]) -> Any:
    rows = [([], 0), ([(1, 2)], 3)]
    return rows, [([], [(x, x)]) if x > 2 else ([(1, [x])], []) for x in xs]


@ab.model
def keys_that_are_tuples(p: P, xs: list[int]) -> Any:
    rows = {}
    for x in xs:
        rows[(x, x)] = rows.get((x, x), []) + [(x, 1)]
    return rows, {k: v[::-1] for k, v in rows.items()}


MODELS = [
    beams,
    beams_of_objects,
    beams_with_dicts,
    nested_beams,
    best_so_far,
    rows_of_pairs,
    state_in_a_tuple,
    one_or_the_other,
    items_replaced,
    paths_in_a_queue,
    literals,
    keys_that_are_tuples,
]
