"""Models with classes whose values have an order by their methods."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, operator, type-var, call-arg"

from __future__ import annotations

import functools
import heapq
from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@functools.total_ordering
class Rank:
    def __init__(self, a, i=0):
        self.a, self.i = a, i

    def __le__(self, o):
        return self.a % 5 <= o.a % 5

    def __eq__(self, o):
        return self.a % 5 == o.a % 5


@functools.total_ordering
class Grade:
    def __init__(self, a):
        self.a = a

    def __gt__(self, o):
        return self.a % 4 > o.a % 4

    def __eq__(self, o):
        return self.a % 4 == o.a % 4


class Above:
    def __init__(self, a, i):
        self.a, self.i = a, i

    def __gt__(self, o):
        return self.a % 3 > o.a % 3


@dataclass
class Task:
    cost: float
    name: str

    def __lt__(self, other: Task) -> bool:
        return self.cost < other.cost


@ab.model
def sorted_by_methods(p: P, xs: list[int]) -> Any:
    ranks = [Rank(x, i) for i, x in enumerate(xs)]
    up, down = sorted(ranks), sorted(ranks, reverse=True)
    ranks.sort()
    return [r.i for r in up], [r.i for r in down], max(ranks).i, min(ranks).i, [r.i for r in ranks]


@ab.model
def reflected_order(p: P, xs: list[int]) -> Any:
    aboves = [Above(x, i) for i, x in enumerate(xs)]
    first, last = aboves[0], aboves[-1]
    return [a.i for a in sorted(aboves)], max(aboves).i, min(aboves).i, min(first, last).i


@ab.model
def total_orders(p: P, xs: list[int]) -> Any:
    a, b = Rank(xs[0]), Rank(xs[-1])
    c, d = Grade(xs[0]), Grade(xs[-1])
    return (
        (a < b, a <= b, a > b, a >= b, a == b, a != b, Rank(1) < a <= Rank(4)),
        (c < d, c <= d, c > d, c >= d, c == d, c != d),
    )


@ab.model
def heap_of_tasks(p: P, xs: list[int]) -> Any:
    heap: list[Task] = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, Task(x * 0.5, str(i)))
    best, found = min(heap).name, []
    while heap:
        found.append(heapq.heappop(heap).name)
    few = [Task(float(x), "") for x in xs if x > 100]
    return best, found, len(sorted(few))


MODELS = (sorted_by_methods, reflected_order, total_orders, heap_of_tasks)


@ab.model
def order_of_pairs_with_objects(p: P, xs: list[int]) -> Any:
    return [i for i, _ in sorted([(x, Rank(x)) for x in xs])]


# With a part of its error.
REFUSED = ((order_of_pairs_with_objects, r"a list\[tuple\[int, Rank\]\] has no order"),)
