"""Models with several comprehensions over one range, in which items of others, too, are needed."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# ruff: noqa: B905, SIM108

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


@ab.model
def one_after_the_other(p: P, xs: list[int]) -> Any:
    a = [p.emb[x] for x in xs]
    b = [np.tanh(h @ p.w) for h in a]
    c = [h + p.b for h in b]
    return sum(c) + a[0] * b[-1]


@ab.model
def neighbours(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    b = [a[i] + a[i - 1] for i in range(len(a))]
    c = [b[i] * a[len(a) - 1 - i] for i in range(len(b))]
    return ops.stack(c)


@ab.model
def own_item_and_all(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    total = sum(a)
    b = [h / len(a) + total for h in a]
    return [h @ p.w for h in b]


@ab.model
def reversed_items(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    return [h * g for h, g in zip(a, a[::-1])]


@ab.model
def of_other_lengths(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    b = [h * 2.0 for h in a[1:]]
    c = [h + g for h, g in zip(a, b)]
    return [h + p.b for h in c], len(a), len(b), len(c)


@ab.model
def of_equal_lists(p: P, xs: list[int]) -> Any:
    ys = [x + 1 for x in xs]
    a = [p.emb[y - 1] @ p.w for y in ys]
    b = [p.emb[x] + p.b for x in xs]
    return [np.tanh(h + g) for h, g in zip(a, b)]


@ab.model
def under_conditions(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    if len(xs) > 3:
        b = [h + p.b for h in a]
    else:
        b = [h - p.b for h in a]
    c = [h if x > 2 else g for x, h, g in zip(xs, a, b)]
    return [h * 2.0 for h in c]


@ab.model
def with_a_filter(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    b = [h + p.b for h, x in zip(a, xs) if x != 1]
    c = [h * 0.5 for h in b]
    return c, a


@ab.model
def lists_of_lists(p: P, xs: list[int]) -> Any:
    a = [[p.emb[x] * p.emb[y] for y in xs] for x in xs]
    b = [[np.tanh(h @ p.w) for h in row] for row in a]
    c = [[b[i][j] + a[j][i] for j in range(len(xs))] for i in range(len(xs))]
    return sum(sum(row) for row in c), c[-1][0]


@ab.model
def unequal_lists_of_lists(p: P, xs: list[int]) -> Any:
    a = [[p.emb[y] @ p.w for y in xs[: i + 1]] for i in range(len(xs))]
    b = [[h + p.b for h in row] for row in a]
    return [sum(row) for row in b], [len(row) for row in b]


@ab.model
def in_a_loop(p: P, xs: list[int]) -> Any:
    hs = [p.emb[x] for x in xs]
    for _ in range(3):
        messages = [h @ p.w for h in hs]
        sums = [sum(messages) - m for m in messages]
        hs = [np.tanh(h + s) for h, s in zip(hs, sums)]
    return hs


@ab.model
def numbers_beside(p: P, xs: list[int]) -> Any:
    a = [x * x for x in xs]
    b = [i * n for i, n in enumerate(a)]
    c = [p.emb[n % 9] * float(m) for n, m in zip(a, b)]
    return c, b, [n // (x + 1) for n, x in zip(a, xs)]


@ab.model
def decided_items(p: P, xs: list[int]) -> Any:
    a = [np.tanh(p.emb[x] @ p.w) for x in xs]
    b = [float(h[0]) > 0.0 for h in a]
    c = [h @ p.w if k else h + p.b for h, k in zip(a, b)]
    return [h * 2.0 for h in c]


@ab.model
def normalised_rows(p: P, xs: list[int]) -> Any:
    x = p.emb[xs]
    for _ in range(2):
        mean = x.mean(axis=-1, keepdims=True)
        var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        x = np.tanh((x - mean) / np.sqrt(var + 1e-5) @ p.w + p.b) + x
    return x, x.mean(axis=0)


@ab.model
def certain_lengths(p: P, xs: list[int]) -> Any:
    a = [p.emb[x] for x in xs]
    b = [h @ p.w for h in a]
    same = len(a) == len(b)
    flag = same if len(b) == len(xs) else len(a) > 2
    h = a[0] if flag else b[0] * 2.0
    return [g + h for g in b], flag


MODELS = (
    certain_lengths, one_after_the_other, neighbours, own_item_and_all, reversed_items,
    of_other_lengths, of_equal_lists, under_conditions, with_a_filter, lists_of_lists,
    unequal_lists_of_lists, in_a_loop, numbers_beside, decided_items, normalised_rows,
)  # fmt: skip
