"""Models with sets in dicts and lists."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905, C416, RUF007
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

from collections import defaultdict
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def neighbours_in_sets(p: P, xs: list[int]) -> Any:
    g = defaultdict(set)
    for a, b in zip(xs, xs[1:]):
        g[a].add(b)
        g[b].add(a)
    g[77].update([])
    g[78].update(xs)
    g[78].discard(1)
    g[79].discard(1)
    return [(k, sorted(g[k])) for k in g], [len(v) for v in g.values()], xs[0] in g[xs[-1]]


@ab.model
def sets_in_a_dict(p: P, xs: list[int]) -> Any:
    e, f = {}, {}
    for i, x in enumerate(xs):
        e.setdefault(x % 3, set()).add(i)
        if x % 2 not in f:
            f[x % 2] = set()
        f[x % 2].add(x)
        f[x % 2] |= {x + 1, 40}
        f[0 if 0 in f else 1].discard(40)
        f[x % 2].remove(x)
        f[x % 2].add(x + 2)
    out = []
    for k, s in e.items():
        out.append((k, sorted(s)))
    return out, [sorted(s) for s in f.values()], max(f[x % 2]), x in e.get(0, set())


@ab.model
def sets_in_a_list(p: P, xs: list[int]) -> Any:
    seen = [set() for _ in range(len(xs))]
    seen.append({1, 2})
    for i, x in enumerate(xs):
        seen[x % len(xs)].add(x)
        if x + 1 not in seen[0]:
            seen[0].add(x + 1)
        seen[-1].update({x, 3})
    n = 0
    for i, s in enumerate(seen):
        if s:
            n += i * sum(s)
    return n, [sorted(s) for s in seen]


@ab.model
def graph_search(p: P, xs: list[int]) -> Any:
    graph = defaultdict(set)
    for a, b in zip(xs, xs[1:]):
        graph[a].add(b)
        graph[b].add(a)
    seen, queue = {xs[0]}, [xs[0]]
    while queue:
        u = queue.pop(0)
        for v in sorted(graph[u]):
            if v not in seen:
                seen.add(v)
                queue.append(v)
    return sorted(seen)


@ab.model
def changed_by_a_local_function(p: P, xs: list[int]) -> Any:
    g = defaultdict(set)

    def link(a, b):
        g[a].add(b)
        if b not in g:
            g[b] = set()

    for a, b in zip(xs, xs[1:]):
        link(a, b)
    return [(k, sorted(g[k])) for k in sorted(g)], sum(len(s) for s in g.values())


@ab.model
def sets_of_tuples(p: P, xs: list[int]) -> Any:
    chart = {}
    for i, x in enumerate(xs):
        chart[i, i + 1] = {("X", x), ("Y", i)}
    for i in range(len(xs) - 1):
        chart[i, i + 2] = set()
        for a in sorted(chart[i, i + 1]):
            for b in sorted(chart[i + 1, i + 2]):
                if a[0] != b[0]:
                    chart[i, i + 2].add((a[0], a[1] + b[1]))
    return [(k, sorted(v)) for k, v in chart.items()]


MODELS = [
    neighbours_in_sets,
    sets_in_a_dict,
    sets_in_a_list,
    graph_search,
    changed_by_a_local_function,
    sets_of_tuples,
]


@ab.model
def in_hash_order(p: P, xs: list[int]) -> Any:
    g = defaultdict(set)
    for x in xs:
        g[x % 2].add(x * 31)
    return [y for y in g[0]]


@ab.model
def a_set_with_a_name(p: P, xs: list[int]) -> Any:
    g = {0: set()}
    s = g[0]
    g[0].add(xs[0])
    return len(s)


@ab.model
def a_set_in_two_places(p: P, xs: list[int]) -> Any:
    s = {1}
    g = [s, s]
    g[0].add(xs[0])
    return len(g[1])


@ab.model
def one_set_three_times(p: P, xs: list[int]) -> Any:
    g = [set()] * 3
    g[0].add(xs[0])
    return len(g[1])


@ab.model
def hash_order_of_a_target(p: P, xs: list[int]) -> Any:
    g = [set(xs), set()]
    n = 0
    for s in g:
        for x in s:
            n = n * 2 + x
    return n


@ab.model
def a_key_that_the_set_changes(p: P, xs: list[int]) -> Any:
    g = defaultdict(set)
    for x in xs:
        g[len(g)].update(y for y in xs if y > x)
        g[len(g)] |= {len(g)}
    return [(k, sorted(s)) for k, s in g.items()]


@ab.model
def the_set_of_a_loop(p: P, xs: list[int]) -> Any:
    g = {0: set(xs), 1: set()}
    for k, s in g.items():
        n = len(s)
        s.add(k + 90)
    return n, sorted(g[0])


# Sets with another name, or on whose order a result depends.
REFUSED = [
    in_hash_order,
    a_set_with_a_name,
    a_set_in_two_places,
    one_set_three_times,
    hash_order_of_a_target,
    a_key_that_the_set_changes,
    the_set_of_a_loop,
]
