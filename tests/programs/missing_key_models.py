"""Numbers, strings and members that may be None: as keys of dicts, and compared with each other."""

# Models as they are written in a hurry.
# ruff: noqa: B905, E711, RUF007, SIM118, SIM300, SIM401
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, index, arg-type"

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from enum import Enum
from typing import Any, NamedTuple

import acrobat as ab
from tests.programs.listed_object_models import P


class Kind(Enum):
    A = 1
    B = 2


class Span(NamedTuple):
    a: int
    b: int | None


def first(xs, y):
    for i, x in enumerate(xs):
        if x == y:
            return i
    return None


@ab.model
def a_key_that_may_be_none(p: P, xs: list[int]) -> Any:
    d = {i: x * 2 for i, x in enumerate(xs)}
    k = first(xs, xs[-1])
    return d[k], d.get(k, -1), k in d


@ab.model
def key_missing(p: P, xs: list[int]) -> Any:
    d = {i: x * 2 for i, x in enumerate(xs)}
    k = first(xs, 99)
    return d.get(k, -1), k in d, k not in d, d.get(k)


@ab.model
def key_tuple(p: P, xs: list[int]) -> Any:
    best = None
    d = {(i, j): i * j for i in range(3) for j in range(3)}
    for x in xs:
        if x < 3:
            best = x
    return d.get((1, best), -1), (1, best) in d, (best, best) in d


@ab.model
def key_tuple_read(p: P, xs: list[int]) -> Any:
    best = None
    d = {(i, j): i * j for i in range(9) for j in range(9)}
    for x in xs:
        if x >= 0:
            best = x
    return d[1, best], d[best, best]


@ab.model
def key_store(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        k = x if x > 2 else None
        d[k] = d.get(k, 0) + x
    return d, d[None] if None in d else -1, list(d)


@ab.model
def key_store_tuple(p: P, xs: list[int]) -> Any:
    d = {}
    prev = None
    for x in xs:
        d[prev, x] = d.get((prev, x), 0) + 1
        prev = x
    return d, (None, xs[0]) in d, d[None, xs[0]]


@ab.model
def key_str(p: P, xs: list[int]) -> Any:
    d = {}
    prev = None
    for x in xs:
        d[prev] = x
        prev = "abc"[x % 3] if x % 3 else ""
    return d, d.get(None), d.get("")


@ab.model
def key_member(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        k = None if x == 1 else (Kind.A if x % 2 else Kind.B)
        d[k] = x
    return d, d.get(Kind.A), None in d


@ab.model
def key_set(p: P, xs: list[int]) -> Any:
    s = set()
    for x in xs:
        s.add(x if x > 2 else None)
    return len(s), None in s


@ab.model
def equal_numbers(p: P, xs: list[int]) -> Any:
    a, b = first(xs, 1), first(xs, 5)
    c, d = first(xs, 0), first(xs, 99)
    return a == b, a != b, d == d, c == d, a == 0, 0 != a, d == None


@ab.model
def eq_lists(p: P, xs: list[int]) -> Any:
    a = [x if x > 2 else None for x in xs]
    b = [x if x > 1 else None for x in xs]
    return a == b, a == a, None in a, 5 in a, a.count(None), a.index(a[-1])


@ab.model
def carried(p: P, xs: list[int]) -> Any:
    last = None
    d = {}
    for x in xs:
        d[last] = x
        if x % 2:
            last = x
        elif last is not None and x > 3:
            last = None
    return d, [d.get(k) for k in (None, 1, 5, 7)]


@ab.model
def opt_tuple(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        k = (x, "a") if x > 2 else None
        d[k] = x
    return d, None in d, (5, "a") in d


@ab.model
def setdef(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        d.setdefault(first(xs, x + 1), []).append(x)
    return d


@ab.model
def counter(p: P, xs: list[int]) -> Any:
    c = Counter(first(xs, x + 1) for x in xs)
    return c[None], c.most_common(1)[0][1]


@ab.model
def ddict(p: P, xs: list[int]) -> Any:
    d = defaultdict(int)
    for x in xs:
        d[first(xs, x - 1)] += x
    return dict(d), d[None]


@ab.model
def loop_over_keys(p: P, xs: list[int]) -> Any:
    d = {first(xs, x + 1): x for x in xs}
    t = 0
    for k, v in d.items():
        t += v if k is None else k * v
    return t, [k for k in d if k is not None], [k is None for k in d.keys()]


@ab.model
def nested(p: P, xs: list[int]) -> Any:
    d = defaultdict(dict)
    for x in xs:
        d[x % 2][first(xs, x + 1)] = x
    return {k: dict(v) for k, v in d.items()}


@ab.model
def named_tuples_as_keys(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        d[Span(x, first(xs, x + 1))] = x
    return d, d.get(Span(xs[0], None)), Span(1, None) in d, (1, None) in d


@ab.model
def in_list(p: P, xs: list[int]) -> Any:
    ks = [first(xs, x + 1) for x in xs]
    k = first(xs, 5)
    return (
        k in ks,
        None in ks,
        ks.index(ks[-1]),
        ks.count(k),
        ks.count(None),
        k in (None, 0),
        k in [1, 2],
        k in {0, 1},
    )


@ab.model
def neq(p: P, xs: list[int]) -> Any:
    a = [first(xs, x + 1) for x in xs]
    return sum(x != y for x, y in zip(a, a[1:])), [i for i in range(1, len(a)) if a[i] == a[i - 1]]


@ab.model
def strs(p: P, xs: list[int]) -> Any:
    a = ["abc"[x % 3] if x > 1 else None for x in xs]
    b = [None if x > 4 else "abc"[x % 3] for x in xs]
    return a == b, [x == y for x, y in zip(a, b)], a[0] == "a", a[0] == b[-1]


@ab.model
def floats(p: P, xs: list[int]) -> Any:
    a = 1.5 if xs[0] > 1 else None
    b = None if len(xs) > 2 else 1.5
    c = 1 if xs[0] > 3 else None
    return a == b, a == 1.5, a != None, c == a


@ab.model
def tuples_opt(p: P, xs: list[int]) -> Any:
    a = (1, None if xs[0] > 1 else 2)
    b = (1, None if len(xs) > 2 else 2)
    return a == b, a != b, a == (1, None), (1, 2) == b


@ab.model
def keys_of_parameters(p: P, xs: list[int]) -> Any:
    d = {0: 1, 1: 2}

    def look(k):
        return d.get(k, 9)

    return look(None), look(1), look(first(xs, 1))


@ab.model
def memo_of_pairs(p: P, xs: list[int]) -> Any:
    memo: dict[tuple[int, int | None], int] = {}

    def f(i: int, last: int | None) -> int:
        if (i, last) in memo:
            return memo[i, last]
        if i >= len(xs):
            return 0
        best = f(i + 1, last)
        if last is None or xs[i] > xs[last]:
            best = max(best, 1 + f(i + 1, i))
        memo[i, last] = best
        return best

    return f(0, None), memo


@ab.model
def cached(p: P, xs: list[int]) -> Any:
    @functools.cache
    def f(i: int, prev: int | None) -> int:
        if i == len(xs):
            return 0
        return (prev or 0) + f(i + 1, xs[i]) if xs[i] % 2 else f(i + 1, None)

    return f(0, None)


@ab.model
def members(p: P, xs: list[int]) -> Any:
    a = Kind.A if xs[0] > 1 else None
    b = Kind.A if len(xs) > 2 else (Kind.B if xs[0] > 2 else None)
    c = Kind.B
    return a == b, a is b, a is Kind.A, b is not Kind.B, a != b, c is a, a is not c


@ab.model
def keys_of_a_comprehension(p: P, xs: list[int]) -> Any:
    d = {(x, None if x > 2 else x): x for x in xs}
    return d, [d.get((x, None)) for x in xs], [(x, x) in d for x in xs]


MODELS = (
    a_key_that_may_be_none, key_missing, key_tuple, key_tuple_read, key_store, key_store_tuple,
    key_str, key_member, key_set, equal_numbers, eq_lists, carried, opt_tuple, setdef, counter,
    ddict, loop_over_keys, nested, named_tuples_as_keys, in_list, neq, strs, floats, tuples_opt,
    keys_of_parameters, memo_of_pairs, cached, members, keys_of_a_comprehension,
)  # fmt: skip
