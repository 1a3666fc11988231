"""Models with sets that leave their function: that other functions get, change and return, that are
fields and results."""

# Models as they are written in a hurry.
# ruff: noqa: B905, C416, RUF007
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, misc"

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
from tests.programs.listed_object_models import P


def has(seen: set[int], x: int) -> bool:
    return x in seen


def how_many(seen, xs):
    return sum(1 for x in xs if x in seen)


@ab.model
def read_by_others(p: P, xs: list[int]) -> Any:
    s = set(xs[:3])
    return [has(s, x) for x in xs], how_many(s, xs), len(s)


def pairs(xs: list[int]) -> set[tuple[int, int]]:
    return set(zip(xs, xs[1:]))


@ab.model
def made_by_another(p: P, xs: list[int]) -> Any:
    q = pairs(xs)
    q.add((7, 7))
    return sorted(q), len(q), (1, 2) in q, {a for a, _ in q}


def visit(seen: set[int], x: int) -> None:
    seen.add(x)
    if x % 2 == 0:
        seen.discard(x // 2)


def visit_once(seen, x):
    if x in seen:
        return 0
    seen.add(x)
    return x


@ab.model
def changed_by_others(p: P, xs: list[int]) -> Any:
    seen: set[int] = set()
    total = 0
    for x in xs:
        visit(seen, x)
        total += visit_once(seen, x + 1)
    return seen, total


@ab.model
def operators(p: P, xs: list[int]) -> Any:
    u = {x for x in xs if x > 1}
    v = set(xs) | {7}
    return u, v, u | v, u & v, v - u, u ^ v, u <= v, u < v, u == v, v > u, v != u, frozenset(u)


class Track:
    def __init__(self):
        self.seen = set()
        self.n = 0

    def push(self, x):
        if x not in self.seen:
            self.seen.add(x)
            self.n += 1

    def has(self, x):
        return x in self.seen


@ab.model
def fields_of_objects(p: P, xs: list[int]) -> Any:
    t = Track()
    for x in xs:
        t.push(x)
    return t.n, t.has(3), t.seen, sorted(t.seen)


@dataclass
class Agent:
    place: int
    seen: set[int] = field(default_factory=set)

    def move(self, d):
        self.place += d
        self.seen.add(self.place)
        return len(self.seen)


@ab.model
def copied_objects(p: P, xs: list[int]) -> Any:
    a = Agent(0)
    out = []
    for x in xs:
        out.append(a.move(x))
    b = copy.deepcopy(a)
    b.move(100)
    return a.seen, out, b.seen, a.seen & b.seen


@ab.data
class Prompt:
    xs: list[int]
    blocked: set[int]
    names: frozenset[str]


@ab.model
def fields_of_instances(p: P, d: Prompt) -> Any:
    free = [x for x in d.xs if x not in d.blocked]
    return free, len(d.names), "a" in d.names, d.blocked | {1}, d.names, min(d.blocked, default=-1)


PROMPTS = [
    Prompt([1, 2], {2, 3}, frozenset({"a"})),
    Prompt([], set(), frozenset()),
    Prompt([4], {4, -9, 100000}, frozenset({"b", "c"})),
]


def grow(s, x):
    s.add(x)


def grow_all(s, xs):
    for x in xs:
        grow(s, x)


@ab.model
def changed_by_others_of_others(p: P, xs: list[int]) -> Any:
    s: set[int] = set()
    grow_all(s, xs)
    u = s.copy()
    grow(s, -1)
    return s, u


@ab.model
def in_any_order(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 7)
    doubled = sorted(x * 2 for x in s)
    tests = any(x > 3 for x in s), all(x > 0 for x in s), len([x for x in s])
    return {x + 1 for x in s}, doubled, tests, sum(1 for x in s if x > 1), sum(s), min(s), max(s)


@ab.model
def in_loops(p: P, xs: list[int]) -> Any:
    s = set()
    out = []
    for x in xs:
        if x in s:
            continue
        if x == 8:
            break
        s.add(x)
        out.append(len(s))
        if x == 3:
            s = {x}
    todo, done = set(xs), set()
    while todo:
        x = min(todo)
        todo.remove(x)
        grow(done, x)
    return s, out, todo, done


@ab.model
def inside_of_others(p: P, xs: list[int]) -> Any:
    g = {}
    rows = [set() for _ in xs]
    for i, x in enumerate(xs):
        g.setdefault(x, set()).add(i)
        rows[i].add(x)
        rows[i] |= {9}
    return g, rows


@ab.model
def local_functions(p: P, xs: list[int]) -> Any:
    s = set()

    def once(x):
        if x in s:
            return False
        s.add(x)
        return True

    def go(i):
        if i >= len(xs):
            return 0
        s.add(xs[i] + 10)
        return 1 + go(i + 1)

    k = [once(x) for x in xs]
    return s, k, go(0), s


@ab.model
def methods_of_sets(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 1)
    t = s.union(xs).intersection([1, 2]).difference({1})
    both = s.symmetric_difference([1, 1, 77])
    return t, s.issubset([1, 2, 3, 4, 5]), s.issuperset(xs), s.isdisjoint([9]), both


@ab.model
def changing_methods(p: P, xs: list[int]) -> Any:
    s = set(xs)
    grow(s, 1)
    s.update([8, 9])
    s.update(x + 10 for x in xs)
    s.difference_update({8})
    s.intersection_update(range(14))
    s.symmetric_difference_update([1, 77])
    s |= {5}
    s &= {5, 77, 9, 12}
    s ^= {1000}
    s -= {9}
    t = set(xs)
    grow(t, 4)
    t |= t
    t.update({x + 1 for x in t})
    u = t.copy()
    t -= t
    return s, t, u


@ab.model
def frozen_sets(p: P, xs: list[int]) -> Any:
    s = frozenset(xs)
    t = s
    s |= {99}
    return s, t, s - {1}, {1} - s


def some(xs: list[int]) -> set[int] | None:
    if len(xs) < 2:
        return None
    return set(xs)


@ab.model
def missing_sets(p: P, xs: list[int]) -> Any:
    s = some(xs)
    if s is None:
        return 0, some(xs)
    return len(s), some(xs)


def grow_both(a, b):
    a.add(1)
    b.add(2)
    return len(a)


@ab.model
def before_and_after(p: P, xs: list[int]) -> Any:
    s, t = set(xs), set()
    return len(s) + grow_both(s, t) + len(s), s, t


MODELS = [
    read_by_others,
    made_by_another,
    changed_by_others,
    operators,
    fields_of_objects,
    copied_objects,
    changed_by_others_of_others,
    in_any_order,
    in_loops,
    inside_of_others,
    local_functions,
    methods_of_sets,
    changing_methods,
    frozen_sets,
    missing_sets,
    before_and_after,
]
