"""Models with names that a loop may leave as they are."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905
# mypy: disable-error-code="no-untyped-def, misc, var-annotated, assignment, arg-type"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.empty_list_models import P


@ab.model
def last_number(p: P, xs: list[int]) -> Any:
    s = 0
    it = 0
    for it in range(len(xs)):
        s += it
    return s, it


@ab.model
def left_with_break(p: P, xs: list[int]) -> Any:
    x = -1
    for x in xs:
        if x == 5:
            break
    return x


@ab.model
def tuple_targets(p: P, xs: list[int]) -> Any:
    i, h = -1, p.b
    for i, h in enumerate([p.emb[x] for x in xs]):
        if i > 1:
            break
    a, rest = 0, []
    for a, *rest in [[x, x + 1, x + 2] for x in xs]:
        pass
    return i, h, a, rest


@ab.model
def nested_loops(p: P, xs: list[int]) -> Any:
    i = j = 7
    s = 0
    for i in range(len(xs)):
        for j in range(xs[i]):
            s += i * j
        s += j
    return i, j, s


@ab.model
def read_by_the_loop_around(p: P, xs: list[int]) -> Any:
    last = 0
    out = []
    for x in xs:
        for last in range(x):
            pass
        out.append(last)
    return out, last


@ab.model
def iterations_cut_short(p: P, xs: list[int]) -> Any:
    k = 100
    out = []
    for k, y in zip(range(3), xs):
        if y % 2:
            continue
        out.append(k)
    return k, out


@ab.model
def with_an_else(p: P, xs: list[int]) -> Any:
    k = 100
    for k in xs:
        if k > 2:
            break
    else:
        k = -k
    return k


@ab.model
def none_before(p: P, xs: list[int]) -> Any:
    k = n = None
    for k in xs:
        pass
    for n in xs:
        n = n + 1
    if n is None:
        return k, 0
    return k, n


@ab.model
def before_on_each_path(p: P, xs: list[int]) -> Any:
    if len(xs) > 1:
        k = 0
        for k in xs:
            pass
    else:
        k = 5
        for k in xs:
            pass
    return k


@ab.model
def inside_while(p: P, xs: list[int]) -> Any:
    n, k = 0, -1
    while n < len(xs):
        for k in range(n):
            pass
        n += 1
    return k


MODELS = [
    last_number,
    left_with_break,
    tuple_targets,
    nested_loops,
    read_by_the_loop_around,
    iterations_cut_short,
    with_an_else,
    none_before,
    before_on_each_path,
    inside_while,
]


@ab.model
def last_row(p: P, xs: list[int]) -> Any:
    row = []
    rows = [[x] for x in xs]
    for row in rows:
        pass
    rows[-1].append(9)
    return row, rows


@ab.model
def last_of_a_dict(p: P, xs: list[int]) -> Any:
    row = []
    d = {x: [x] for x in xs}
    for _, row in d.items():
        pass
    d[xs[0]].append(9)
    return row, d


@ab.model
def row_that_changes(p: P, xs: list[int]) -> Any:
    row = [1]
    rows = [[x] for x in xs]
    for row in rows:
        row.append(3)
    return row, rows


SHARED = [last_row, last_of_a_dict, row_that_changes]
