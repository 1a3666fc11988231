"""Models with `collections.namedtuple`: parts without hints get types from their values."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

from collections import namedtuple
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


Span = namedtuple("Span", "a b")
State = namedtuple("State", ["at", "h"], defaults=[0])


class Edge(namedtuple("Edge", "head, tail")):
    @property
    def length(self):
        return self.tail - self.head

    def moved(self, n):
        return self._replace(head=self.head + n)


@ab.model
def named_parts(p: P, xs: list[int]) -> Any:
    spans = [Span(x, x + 1) for x in xs]
    spans.append(Span(b=1, a=xs[0]))
    a, b = spans[-1]
    first = spans[0]._replace(a=5)
    largest = max(spans, key=lambda s: (s.a, -s.b))
    return sum(s.a * s.b for s in spans), first.a + first[1], a, b, largest.a, spans[0] == spans[-1]


@ab.model
def parts_of_several_types(p: P, xs: list[int]) -> Any:
    one, two = State(xs[0]), State(len(xs), p.emb[xs[0]])
    state = State(0, p.b)
    for x in xs:
        state = State(state.at + 1, ops.tanh(state.h + p.emb[x]))
    return one.at + one.h, two.h + state.h, state.at


@ab.model
def with_methods(p: P, xs: list[int]) -> Any:
    edges = [Edge(i, x) for i, x in enumerate(xs)]
    return [e.length + e.moved(2).head for e in edges], Edge(1, 2.5).length


@ab.model
def as_keys(p: P, xs: list[int]) -> Any:
    chart = {}
    for i, x in enumerate(xs):
        chart[Span(i, i + 1)] = x
    return chart[Span(0, 1)], len(chart), Span(0, 2) in chart


def local_helper(s):
    return s.a + s.b


@ab.model
def in_helpers(p: P, xs: list[int]) -> Any:
    def make(x):
        return Span(x, 2)

    n = make(7).b
    return local_helper(make(xs[0])) + n


MODELS = [named_parts, parts_of_several_types, with_methods, as_keys, in_helpers]
