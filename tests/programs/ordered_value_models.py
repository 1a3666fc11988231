"""Models with values that are ordered field by field: `NamedTuple`s, `@dataclass(order=True)`."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@dataclass(order=True)
class Event:
    time: float
    kind: int


class Pos(NamedTuple):
    r: int
    c: int


@dataclass(order=True)
class Partly:
    time: float
    what: str = field(compare=False, default="")


class Own(NamedTuple):
    r: int
    c: int

    def __lt__(self, other):
        return self.c < other.c


@ab.model
def events_in_a_heap(p: P, xs: list[int]) -> Any:
    q = []
    for x in xs:
        heapq.heappush(q, Event((x * 7 % 5) * 0.5, x))
    out = []
    while q:
        e = heapq.heappop(q)
        out.append((e.time, e.kind))
    return out


@ab.model
def named_tuples_in_a_heap(p: P, xs: list[int]) -> Any:
    q = []
    for x in xs:
        heapq.heappush(q, (x % 3, Pos(x, -x)))
    out = []
    while q:
        k, e = heapq.heappop(q)
        out.append((k, e.r))
    return out


@ab.model
def sorted_by_fields(p: P, xs: list[int]) -> Any:
    es = sorted([Event((x * 7 % 5) * 0.5, x) for x in xs])
    ps = sorted((Pos(x % 2, x) for x in xs), reverse=True)
    return [e.kind for e in es], [(q.r, q.c) for q in ps]


@ab.model
def compared_by_fields(p: P, xs: list[int]) -> Any:
    a, b = Event(1.0, xs[0]), Event(1.0, 3)
    return [
        1 if t else 0
        for t in (
            a < b,
            a <= b,
            a > b,
            a >= b,
            a == b,
            Pos(1, 2) < Pos(1, xs[0]),
            Pos(1, 2) < (1, xs[0]),
        )
    ]


@ab.model
def least_and_greatest(p: P, xs: list[int]) -> Any:
    es = [Event((x * 7 % 5) * 0.5, x) for x in xs]
    return (
        min(es).kind,
        max(es).kind,
        min(Pos(x % 3, x) for x in xs).c,
        max(Pos(x % 2, x) for x in xs).c,
    )


@ab.model
def the_least_so_far(p: P, xs: list[int]) -> Any:
    best = Event(9.0, 9)
    for x in xs:
        e = Event((x * 7 % 5) * 0.5, x)
        if e < best:
            best = e
    return best.time, best.kind


@ab.model
def fields_that_do_not_count(p: P, xs: list[int]) -> Any:
    es = sorted([Partly((x * 7 % 5) * 0.5, str(-x)) for x in xs])
    q = []
    for x in xs:
        heapq.heappush(q, Partly((x * 3 % 4) * 0.5, str(x)))
    first = heapq.heappop(q)
    return [(e.time, e.what) for e in es], first.what, 1 if es[0] < first else 0


@ab.model
def an_order_of_its_own(p: P, xs: list[int]) -> Any:
    es = sorted([Own(x, -x) for x in xs])
    return [e.r for e in es]


@ab.model
def compared_by_a_method(p: P, xs: list[int]) -> Any:
    return 1 if Own(1, 2) < Own(2, 1) else 0


@ab.model
def tuples_with_tensors(p: P, xs: list[int]) -> Any:
    pairs = sorted((p.emb[x] @ p.w[0], i, x) for i, x in enumerate(xs))
    best = max(pairs)
    return (
        [(i, x) for _, i, x in pairs],
        best[0],
        min((h @ p.emb[0], k) for k, h in enumerate(p.emb)),
    )


@ab.model
def tensors_compared_in_tuples(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    first = (h.sum(), 1) < (p.b.sum(), 2), (0.5, p.b.sum()) <= (p.b.max(), 2.0)
    return first, (1, h.max()) > (1, p.b.max())


@ab.model
def tensors_in_a_heap(p: P, xs: list[int]) -> Any:
    heap = [(p.emb[x].sum(), x) for x in xs]
    heapq.heapify(heap)
    out = []
    while heap and len(out) < 4:
        score, x = heapq.heappop(heap)
        out.append((score, x))
        if x % 2:
            heapq.heappush(heap, (score + 0.5, x + 1))
    return out


MODELS = [
    tensors_compared_in_tuples,
    tensors_in_a_heap,
    tuples_with_tensors,
    events_in_a_heap,
    named_tuples_in_a_heap,
    sorted_by_fields,
    compared_by_fields,
    least_and_greatest,
    the_least_so_far,
    fields_that_do_not_count,
]
REFUSED = {
    an_order_of_its_own: "AC017: a list[Own] has no order",
    compared_by_a_method: "AC027: a comparison of Own and Own",
}
