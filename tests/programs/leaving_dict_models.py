"""Models with dicts that have defaults, and Counters, which leave the function that made them."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import acrobat as ab
from tests.programs.listed_object_models import P


def group(xs: list[int]) -> dict[int, list[int]]:
    g = defaultdict(list)
    for i, x in enumerate(xs):
        g[x].append(i)
    return g


def by_remainder(xs):
    g: defaultdict[int, list[int]] = defaultdict(list)
    for i, x in enumerate(xs):
        g[x % 2].append(i)
    return g


@ab.model
def made_by_another(p: P, xs: list[int]) -> Any:
    g = group(xs)
    h = by_remainder(xs)
    sizes = {k: len(v) for k, v in g.items()}
    lists = sorted(g), list(g.values()), list(g.keys())
    return sizes, g.get(2, []), 3 in g, len(g), bool(h), lists, h.get(0, [])


def counts(xs) -> Counter[int]:
    c = Counter(xs)
    c[8] += 2
    return c


def share(c: Counter[int], k: int) -> int:
    return c[k] * 100 + len(c)


@ab.model
def counters(p: P, xs: list[int]) -> Any:
    own = Counter(xs)
    c = counts(xs)
    most = c.most_common(2), c.most_common(), c.total(), max(c, key=lambda k: (c[k], k))
    return share(own, 2), share(own, 77), own, c[2], c[99], most, c


@ab.model
def a_counter_as_result(p: P, xs: list[int]) -> Counter[int]:
    c = Counter(xs)
    c[3] += 1
    return c


def listed(g):
    return [k * 10 + len(v) for k, v in g.items()]


@ab.model
def read_by_others(p: P, xs: list[int]) -> Any:
    g = defaultdict(list)
    found = []
    for x in xs:
        g[x % 3].append(x)
        found.append(listed(g))
    g[7].append(1)
    return found, g


def both(xs):
    g = defaultdict(int)
    for x in xs:
        g[x] += 1
    return g, len(xs)


@ab.model
def in_a_tuple(p: P, xs: list[int]) -> Any:
    g, n = both(xs)
    own = dict(g)
    own[77] = 1
    return g, n, g.get(1, 0), own


def levels(n: int) -> dict[int, int]:
    g = defaultdict(int)
    if n > 0:
        for k, v in levels(n - 1).items():
            g[k] += v
    g[n] += 1
    return g


@ab.model
def recursive(p: P, xs: list[int]) -> Any:
    return levels(len(xs))


class Vocabulary:
    def __init__(self, xs):
        self.counts = Counter(xs)

    def of(self, x):
        return self.counts[x]


@ab.model
def in_objects(p: P, xs: list[int]) -> Any:
    v = Vocabulary(xs)
    return [v.of(x) for x in xs], v.of(99)


MODELS = [
    made_by_another,
    counters,
    a_counter_as_result,
    read_by_others,
    in_a_tuple,
    recursive,
    in_objects,
]


def keep(g):
    return g


def change(g, k):
    g[k].append(1)


def read(g, k):
    return g[k]


def one_of_two(xs) -> dict[int, int]:
    g = defaultdict(int)
    if not xs:
        return {}
    g[1] += 1
    return g


@ab.model
def a_missing_key(p: P, xs: list[int]) -> Any:
    g = by_remainder(xs)
    return g[0]


@ab.model
def a_missing_key_of_an_argument(p: P, xs: list[int]) -> Any:
    g = defaultdict(int)
    g[3] += 1
    return read(g, 4), g


@ab.model
def changed_by_another(p: P, xs: list[int]) -> Any:
    g = defaultdict(list)
    change(g, 3)
    return g


@ab.model
def changed_afterwards(p: P, xs: list[int]) -> Any:
    g = group(xs)
    g[3] = [5]
    return g


@ab.model
def another_name(p: P, xs: list[int]) -> Any:
    g = defaultdict(list)
    g[1].append(2)
    h = keep(g)
    g[2].append(1)
    return h, g


@ab.model
def a_counter_with_another_name(p: P, xs: list[int]) -> Any:
    c = Counter(xs)
    other = keep(c)
    c[5] += 1
    return other[5]


@ab.model
def with_and_without(p: P, xs: list[int]) -> Any:
    return one_of_two(xs)


REFUSED = [
    a_missing_key,
    a_missing_key_of_an_argument,
    changed_by_another,
    changed_afterwards,
    another_name,
    a_counter_with_another_name,
    with_and_without,
]
