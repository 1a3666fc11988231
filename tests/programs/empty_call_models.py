"""Lists that are empty where functions, conditions and comprehensions first use them."""

# Models as they are written in a hurry.
# ruff: noqa: B007, RUF005, RUF059, SIM108
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

import heapq
from typing import Any

import acrobat as ab
from tests.programs.empty_list_models import P


def _reduce(stack, arcs):
    a, g = stack.pop()
    b, h = stack.pop()
    arcs.append((b, a))
    stack.append((b, g + h))


@ab.model
def fn_reduce_first(p: P, xs: list[int]) -> Any:
    stack, arcs = [], []
    for x in xs:
        if len(stack) > 1:
            _reduce(stack, arcs)
        else:
            stack.append((x, p.emb[x]))
    return arcs, [w for w, _ in stack]


def _top(stack):
    return stack[-1][0]


@ab.model
def fn_top(p: P, xs: list[int]) -> Any:
    stack, arcs = [], []
    for x in xs:
        if len(stack) > 1:
            t = _top(stack)
            arcs.append(t)
        stack.append((x, p.emb[x]))
    return arcs, [w for w, _ in stack]


def _link(stack, arcs):
    a, g = stack[-1]
    b, h = stack[-2]
    arcs.append((b, a))


@ab.model
def fn_link(p: P, xs: list[int]) -> Any:
    stack, arcs = [], []
    for x in xs:
        if len(stack) > 1:
            _link(stack, arcs)
        stack.append((x, p.emb[x]))
    return arcs, [w for w, _ in stack]


@ab.model
def minmax_default(p: P, xs: list[int]) -> Any:
    hs = []
    out = []
    for x in xs:
        b = min(hs, key=lambda h: h[1], default=None)
        out.append(b[0] if b is not None else -1)
        hs.append((x, -x))
    return out


@ab.model
def dict_get_list(p: P, xs: list[int]) -> Any:
    d = {}
    for i, x in enumerate(xs):
        prev = d.get(x % 3, [])
        if prev:
            y, h = prev[-1]
            d[x % 3] = prev + [(x, h @ p.w)]
        else:
            d[x % 3] = [(x, p.emb[x])]
    return {k: [a for a, _ in v] for k, v in d.items()}, [h for v in d.values() for _, h in v]


@ab.model
def dict_pop(p: P, xs: list[int]) -> Any:
    d = {}
    out = []
    for x in xs:
        if x in d:
            a, h = d.pop(x)
            out.append((a, x))
        d[x + 1] = (x, p.emb[x])
    return out, list(d)


def _expand(hyps, x):
    out = []
    for toks, s in hyps:
        out.append((toks + [(x, s)], s + x))
        if toks and toks[-1][0] == x:
            out.append((toks, s - 1))
    return out


@ab.model
def function_beam(p: P, xs: list[int]) -> Any:
    hyps = [([], 0)]
    for x in xs:
        hyps = sorted(_expand(hyps, x), key=lambda h: -h[1])[:3]
    return hyps


@ab.model
def comp_of_comp(p: P, xs: list[int]) -> Any:
    rows = []
    for x in xs:
        grid = [[a + b for a, b in row] for row in rows]
        flat = sum([sum(r) for r in grid])
        rows.append([(x, flat), (flat, x)])
    return rows


@ab.model
def fill_slots(p: P, xs: list[int]) -> Any:
    slots = [[] for _ in range(3)]
    for i, x in enumerate(xs):
        s = slots[x % 3]
        last = s[-1][0] if s else -1
        slots[x % 3] = s + [(x, last)]
    return slots


@ab.model
def name_bound_in_a_test(p: P, xs: list[int]) -> Any:
    stack = []
    n = 0
    for x in xs:
        if stack and (top := stack[-1])[0] > x:
            n += top[1]
            stack.pop()
        stack.append((x, n))
    return n, stack


@ab.model
def dijkstra(p: P, xs: list[int]) -> Any:
    heap = []
    dist = {}
    heapq.heappush(heap, (0, 0))
    while heap:
        d, u = heapq.heappop(heap)
        if u in dist:
            continue
        dist[u] = d
        for v in (u + 1, u + 2):
            if v < len(xs) and v not in dist:
                heapq.heappush(heap, (d + xs[v], v))
    return sorted(dist.items())


@ab.model
def optional_list(p: P, xs: list[int]) -> Any:
    rows = []
    last = None
    for x in xs:
        rows.append(last)
        if last is not None and last[0] == x:
            last = None
        else:
            last = (x, len(rows))
    return rows


@ab.model
def names_bound_in_a_test(p: P, xs: list[int]) -> Any:
    n, h = 0, p.b
    stack = []
    for x in xs:
        if stack and (top := stack[-1])[0] > x and top[1][0] < 9:
            n += top[1][1]
            h = h @ p.w + top[2]
        stack.append((x, (n, x), p.emb[x]))
    return n, h


@ab.model
def while_names_bound_in_a_test(p: P, xs: list[int]) -> Any:
    n = []
    for x in xs:
        while n and (last := n[-1])[1] and last[0] < x:
            n.pop()
        n.append((x, x % 2 == 0, None if x % 3 else x))
    return n


MODELS = [
    fn_reduce_first,
    fn_top,
    fn_link,
    minmax_default,
    dict_get_list,
    dict_pop,
    function_beam,
    comp_of_comp,
    fill_slots,
    name_bound_in_a_test,
    dijkstra,
    optional_list,
    names_bound_in_a_test,
    while_names_bound_in_a_test,
]
