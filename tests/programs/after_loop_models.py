"""Models that read names after the loop that assigns them, None among their values."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type, operator"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab

from .missing_models import P


@ab.model
def first_that_is_free(p: P, xs: list[int]) -> Any:
    free = list(range(6))
    out = []
    for x in xs:
        for f in free:
            if f >= x:
                k = f
                break
        else:
            k = None
        if k is None:
            out.append(-1)
            continue
        free.remove(k)
        out.append(k)
    return out, free


@ab.model
def none_in_else(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        for f in range(4):
            if f >= x:
                k = f
                break
        else:
            k = None
        out.append(-1 if k is None else k)
    return out


@ab.model
def number_in_else(p: P, xs: list[int]) -> Any:
    out = []
    for x in xs:
        for f in range(4):
            if f >= x:
                k = f
                break
        else:
            k = -1
        out.append(k)
    return out


@ab.model
def list_in_else(p: P, xs: list[int]) -> Any:
    rows = [[x] for x in xs]
    for r in rows:
        if len(r) > 0:
            k = r
            break
    else:
        k = [0]
    return k


@ab.model
def value_of_a_dict(p: P, xs: list[int]) -> Any:
    d = {1: 5, 3: 2}
    for x in xs:
        k = d.get(x)
    return -1 if k is None else k


@ab.model
def none_or_a_number(p: P, xs: list[int]) -> Any:
    for x in xs:
        k = x if x > 2 else None
        n = x
    if k is None:
        return n
    return k + n


@ab.model
def items_that_are_none(p: P, xs: list[int]) -> Any:
    items = [None, 3, None]
    n = 0
    for k in items[: len(xs)]:  # noqa: B007
        n += 1
    return n, k is None


@ab.model
def none_or_a_vector(p: P, xs: list[int]) -> Any:
    for x in xs:
        h = None
        if x > 1:
            h = p.emb[x]
    return p.b if h is None else h


@ab.model
def not_read_if_unassigned(p: P, xs: list[int]) -> Any:
    d = {1: 5, 3: 2}
    n = 0
    for x in xs[:1]:
        n += x
    for x in xs[1:]:
        k = d.get(x)
    return 0 if len(xs) < 2 else (-1 if k is None else k)


@ab.model
def loops_in_loops(p: P, xs: list[int]) -> Any:
    d = {1: 5, 3: 2, 7: 7}
    for x in xs:
        for y in range(x + 1):
            k = d.get(y)
        last = x
    return -1 if k is None else k, last


@ab.model
def greatest_of_the_rest(p: P, xs: list[int]) -> Any:
    i = 0
    while i < len(xs):
        best = None
        for x in xs[i:]:
            if best is None or x > best:
                best = x
        i += 2
    return best


@ab.model
def beside_a_float_that_is_a_tensor(p: P, xs: list[int]) -> Any:
    """Two reasons to lower the function again."""

    def best(hs, least: float = -2.0) -> float:
        for h in hs:
            if h.max() > least:
                least = h.max()
        return least

    k = None
    for i, c in enumerate([*xs, 1]):  # noqa: B007
        y = np.tanh(p.emb[c])
        if k is None or c < k:
            k = c
    u = (i + c * 2 + k * 3) % 7
    return u, y, best(p.emb[x] for x in [*xs, 2])


MODELS = (
    first_that_is_free,
    none_in_else,
    number_in_else,
    list_in_else,
    value_of_a_dict,
    none_or_a_number,
    items_that_are_none,
    none_or_a_vector,
    not_read_if_unassigned,
    loops_in_loops,
    greatest_of_the_rest,
    beside_a_float_that_is_a_tensor,
)
