"""Models with queues that leave their function, or have a `maxlen`."""

# Models as they are written in a hurry.
# ruff: noqa: C416
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, type-arg"

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


def mean_of(q):
    return sum(q) / max(1, len(q))


def last(q: deque[int]) -> int:
    return q[-1] if q else -1


def push(q, x):
    q.append(x)


def push_left(q: deque, x: int) -> int:
    q.appendleft(x)
    return len(q)


def drain(q):
    total = 0
    while q:
        total = total * 3 + q.popleft()
    return total


@ab.model
def a_window(p: P, xs: list[int]) -> Any:
    w: deque[int] = deque(maxlen=3)
    out = []
    for x in xs:
        w.append(x)
        out.append((len(w), mean_of(w), last(w), list(w), w[0], x in w))
    return out, w, w.maxlen


@ab.model
def changed_by_others(p: P, xs: list[int]) -> Any:
    q = deque(xs)
    push(q, 9)
    n = push_left(q, 8)
    r = q.copy()
    items = [*r, 1], [x for x in reversed(r)], list(enumerate(r)), sorted(r)
    return drain(q), q, n, r, bool(q), items, sum(r), max(r), r.index(8), r.maxlen


@ab.model
def bounds_of_the_instance(p: P, xs: list[int]) -> Any:
    q = deque(xs, maxlen=len(xs) - 1 if len(xs) > 1 else 0)
    push(q, 7)
    push_left(q, 6)
    q.extend(xs)
    q.reverse()
    r = deque(maxlen=3)
    r += xs
    return q, q == deque(xs), q.count(2), deque([1, 2], 5), r


class Windows:
    def __init__(self, n):
        self.q = deque(maxlen=n)
        self.all = deque()

    def push(self, x):
        self.q.append(x)
        self.all.appendleft(x)

    def spread(self):
        m = sum(self.q) / len(self.q)
        return sum((e - m) ** 2 for e in self.q) / len(self.q)


@ab.model
def fields_of_objects(p: P, xs: list[int]) -> Any:
    w = Windows(2)
    out = []
    for x in xs:
        w.push(float(x))
        out.append(w.spread())
    return out, w.q, w.all


@dataclass
class History:
    n: int
    q: deque = field(default_factory=lambda: deque(maxlen=2))
    r: deque[int] = field(default_factory=deque)


@ab.model
def fields_by_default(p: P, xs: list[int]) -> Any:
    h = History(1)
    for x in xs:
        h.q.append(x)
        h.r.append(x)
        if len(h.r) > 3:
            h.n += h.r.popleft()
    return h.n, h.q, h.r


@ab.model
def of_tensors(p: P, xs: list[int]) -> Any:
    q = deque(maxlen=2)
    for x in xs:
        q.append(p.b * x)
    return sum(q, ops.zeros(p.b.shape[0])), q


@ab.model
def of_lists(p: P, xs: list[int]) -> Any:
    q = deque(maxlen=2)
    buckets = {}
    for x in xs:
        q.append([x])
        q[-1].append(5)
        if x not in buckets:
            buckets[x] = deque(maxlen=2)
        buckets[x].append(x * 2)
        buckets[x].appendleft(1)
    return q, buckets


@ab.model
def copies(p: P, xs: list[int]) -> Any:
    q = deque(xs, maxlen=3)
    r, s, t = deque(q), copy.copy(q), copy.deepcopy(q)
    q.append(9)
    r.append(8)
    s.append(7)
    t.append(6)
    return q, r, s, t, r.maxlen, s.maxlen


def window_of(xs):
    q = deque(maxlen=2)
    for x in xs:
        q.append(x)
    return q


@ab.model
def made_by_another(p: P, xs: list[int]) -> Any:
    q = window_of(xs)
    q.append(77)
    qs = [window_of(xs) for _ in range(2)]
    qs[0].append(5)

    def grow(x):
        q.append(x)
        return len(q)

    return [grow(x) for x in xs], q, qs


@ab.model
def in_breadth(p: P, xs: list[int]) -> Any:
    todo = deque([(0, 1)], maxlen=100)
    seen = {(0, 1)}
    while todo:
        i, d = todo.popleft()
        for j in (2 * i + 1, 2 * i + 2):
            if j < len(xs) and (j, d + 1) not in seen:
                seen.add((j, d + 1))
                todo.append((j, d + 1))
    return sorted(seen), set(todo)


MODELS = [
    a_window,
    changed_by_others,
    bounds_of_the_instance,
    fields_of_objects,
    fields_by_default,
    of_tensors,
    of_lists,
    copies,
    made_by_another,
    in_breadth,
]


@ab.model
def another_name(p: P, xs: list[int]) -> Any:
    q = deque(maxlen=2)
    r = q
    push(q, 1)
    return r


@ab.model
def the_same_twice(p: P, xs: list[int]) -> Any:
    qs = [deque(maxlen=2)] * 2
    qs[0].append(3)
    return qs


@ab.model
def in_a_list(p: P, xs: list[int]) -> Any:
    q = deque(maxlen=2)
    held = []
    for x in xs:
        q.append(x)
        held.append(q)
    return held


@ab.model
def changed_in_its_loop(p: P, xs: list[int]) -> Any:
    q = deque(xs, maxlen=2)
    for x in q:
        q.append(x)
    return q


@ab.model
def a_copy_with_the_same_lists(p: P, xs: list[int]) -> Any:
    q = deque([[1], [2]], maxlen=3)
    r = q.copy()
    q[0].append(5)
    return q, r


@ab.model
def an_item_with_a_name(p: P, xs: list[int]) -> Any:
    row = [1]
    q = deque(maxlen=3)
    q.append(row)
    row.append(5)
    return q


@ab.model
def this_or_that(p: P, xs: list[int]) -> Any:
    q = deque([1], maxlen=2)
    z = q if xs else deque([7], maxlen=2)
    z.append(4)
    return z, q


@ab.model
def shown(p: P, xs: list[int]) -> Any:
    return str(deque(xs, maxlen=2))


REFUSED = [
    another_name,
    the_same_twice,
    in_a_list,
    changed_in_its_loop,
    a_copy_with_the_same_lists,
    an_item_with_a_name,
    this_or_that,
    shown,
]
