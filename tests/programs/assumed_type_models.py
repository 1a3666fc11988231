"""Recursions whose results have a wider type than the first that they return, and loops over lists
that stay empty, whose bodies no value allows."""

# Models as they are written in a hurry.
# ruff: noqa: B007, F841, RUF005
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.empty_list_models import P


def _a(xs, i, d):
    if i >= len(xs) or d > 3:
        return [], i
    kids = []
    while i < len(xs) and xs[i] != 1:
        k, i = _b(xs, i, d + 1)
        kids.append((d, k))
    return kids, i + 1


def _b(xs, i, d):
    if xs[i] == 0:
        got, i = _c(xs, i + 1, d)
        return len(got), i
    return xs[i], i + 1


def _c(xs, i, d):
    got, i = _a(xs, i, d)
    return got, i


@ab.model
def lists_in_turn(p: P, xs: list[int]) -> Any:
    return _a(xs, 0, 0)


@ab.model
def else_of_empty(p: P, xs: list[int]) -> Any:
    found = []
    n = 0
    for f in found:
        n = n + f.score @ p.w
        break
    else:
        n = 7
    return n


@ab.model
def names_after(p: P, xs: list[int]) -> Any:
    found = []
    f = 3
    for f in found:
        n = f.score @ p.w
    return f


@ab.model
def returns_inside(p: P, xs: list[int]) -> Any:
    found = []
    for x in xs:
        for y in found:
            if y[0] == x:
                return y[1]
        found.append((x, p.emb[x]))
    return p.b


@ab.model
def appends_each_other(p: P, xs: list[int]) -> Any:
    a, b = [], []
    for x in xs:
        for y, h in a:
            b.append((y, h @ p.w, x))
        for y, h, z in b:
            if len(a) < 5:
                a.append((z, h))
        if x == 5:
            a.append((x, p.emb[x]))
    return a, b


@ab.model
def never_each_other(p: P, xs: list[int]) -> Any:
    a, b = [], []
    for x in xs:
        for y, h in a:
            b.append((y, h @ p.w, x))
        for y, h, z in b:
            a.append((z, h))
    return len(a), len(b)


@ab.model
def flattened(p: P, xs: list[int]) -> Any:
    rows = []
    total = 0
    for x in xs:
        total += sum([v for row in rows for v in row])
        flat = [h @ p.w for row in rows for _, h in []]
        rows.append([x, x + 1])
    return total, rows


def _rest(xs, i):
    if i >= len(xs):
        return [], i
    rest, j = _rest(xs, i + 1)
    if rest and rest[0] == xs[i]:
        return rest, j
    return [xs[i]] + rest, j


@ab.model
def dedup(p: P, xs: list[int]) -> Any:
    return _rest(xs, 0)


def _pairs(xs):
    if not xs:
        return []
    rest = _pairs(xs[1:])
    if rest:
        x, n = rest[0]
        if x == xs[0]:
            return [(x, n + 1)] + rest[1:]
    return [(xs[0], 1)] + rest


@ab.model
def runs(p: P, xs: list[int]) -> Any:
    return _pairs(xs)


def _states(p, xs, i):
    if i == len(xs):
        return []
    rest = _states(p, xs, i + 1)
    h = rest[-1] @ p.w if rest else p.b
    return rest + [h + p.emb[xs[i]]]


@ab.model
def states_rec(p: P, xs: list[int]) -> Any:
    return _states(p, xs, 0)


def _rest2(xs, i):
    if i >= len(xs):
        return []
    rest = _rest2(xs, i + 1)
    if len(rest) > 1 and rest[0][0] == xs[i]:
        return rest
    return [(xs[i], i)] + rest


@ab.model
def read_in_its_own_result(p: P, xs: list[int]) -> Any:
    return _rest2(xs, 0)


def _expr(p, xs, i):
    t, i = _term(p, xs, i)
    while i < len(xs) and xs[i] == 2:
        u, i = _term(p, xs, i + 1)
        t = ("add", t[1] + u[1], (t[2] + u[2]) @ p.w)
    return t, i


def _term(p, xs, i):
    t, i = _atom(p, xs, i)
    while i < len(xs) and xs[i] == 3:
        u, i = _atom(p, xs, i + 1)
        t = ("mul", t[1] + u[1], t[2] * u[2])
    return t, i


def _atom(p, xs, i):
    if i >= len(xs):
        return ("end", [], p.b), i
    if xs[i] == 4:
        inner, i = _expr(p, xs, i + 1)
        return ("group", inner[1], inner[2] @ p.w), i + 1
    return ("word", [(xs[i], i)], p.emb[xs[i]]), i + 1


@ab.model
def levels_of_a_grammar(p: P, xs: list[int]) -> Any:
    return _expr(p, xs, 0)


MODELS = [
    lists_in_turn,
    else_of_empty,
    names_after,
    returns_inside,
    appends_each_other,
    never_each_other,
    flattened,
    dedup,
    runs,
    states_rec,
    read_in_its_own_result,
    levels_of_a_grammar,
]
