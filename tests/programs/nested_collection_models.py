"""Models that change dicts in dicts and lists in place."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905, C416, RUF007, SIM118, C420
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

from collections import defaultdict
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def chart_of_labels(p: P, xs: list[int]) -> Any:
    n = len(xs)
    chart = {}
    for i in range(n):
        for j in range(i + 1, n + 1):
            chart[i, j] = {}
    for i, x in enumerate(xs):
        chart[i, i + 1]["X"] = float(x)
        if x % 2:
            chart[i, i + 1]["Y"] = float(x + 1)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            for k in range(i + 1, j):
                for a, s in chart[i, k].items():
                    for c, t in chart[k, j].items():
                        label = "X" if a == c else "Y"
                        if label not in chart[i, j] or chart[i, j][label] < s + t:
                            chart[i, j][label] = s + t
    return chart[0, n].get("X", -1.0), chart


@ab.model
def dicts_in_a_dict(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        if x % 3 not in d:
            d[x % 3] = {}
        d[x % 3][x] = d[x % 3].get(x, 0) + 1
        d[x % 3][x] += 10
    for k in d:
        d[k][100] = len(d[k])
    for k in d.keys():
        del d[k][100]
    sizes = [len(row) for row in d.values()]
    return d, sizes, [max(d[k].values()) for k in d]


@ab.model
def with_setdefault(p: P, xs: list[int]) -> Any:
    d, e = {}, {}
    for i, x in enumerate(xs):
        d.setdefault(x % 3, {})[x] = i
        e.setdefault(x % 2, {}).setdefault(x, []).append(i)
        e.setdefault(9, {}).setdefault(0, [0])[0] += x
    return d, e


@ab.model
def layers_of_dicts(p: P, xs: list[int]) -> Any:
    layers = [{} for _ in xs]
    for i, x in enumerate(xs):
        layers[i][x] = i
        layers[0][x + 1] = i
        layers[-1].setdefault(x, 7)
    layers[0].pop(xs[0] + 1)
    layers[-1].clear()
    layers[-1][3] = 4
    return layers


@ab.model
def states_by_node(p: P, xs: list[int]) -> Any:
    h = {}
    for x in xs:
        h.setdefault(x % 2, {})
        h[x % 2][x] = ops.tanh(p.emb[x] @ p.w)
    total = p.b
    for k in h:
        for j in h[k]:
            total = total + h[k][j]
    return total


@ab.model
def three_levels(p: P, xs: list[int]) -> Any:
    d = {0: {0: {}, 1: {}}, 1: {0: {}, 1: {}}}
    grid = [[{} for _ in range(2)] for _ in range(2)]
    rows = {0: [[], []], 1: [[], []]}
    for x in xs:
        d[x % 2][x % 3 % 2][x] = x
        grid[x % 2][x // 2 % 2][x] = x
        rows[x % 2][x // 2 % 2].append(x)
    return d, grid, rows


@ab.model
def changed_by_a_function(p: P, xs: list[int]) -> Any:
    counts = {0: {}, 1: {}}

    def put(a, b):
        counts[a][b] = counts[a].get(b, 0) + 1

    for x in xs:
        put(x % 2, x)
    return counts


@ab.model
def views_that_are_read(p: P, xs: list[int]) -> Any:
    d = {0: {7: 7}, 1: {8: 9}}
    out = 0
    for x in xs:
        out += sum(d[x % 2].values()) + len(d[0].items()) + max(d[1].keys())
        out += 1 if x in d[x % 2].values() else 0
        for k, v in sorted(d[x % 2].items()):
            out += k * v
        d[x % 2][x] = x
    e = {x: 1 for x in xs}
    for k in list(e.keys()):
        out += len(e.values())
        e[k + 1] = 2
    while e:
        k, v = e.popitem()
        out += k * v
    return out


@ab.model
def dicts_by_default(p: P, xs: list[int]) -> Any:
    d = defaultdict(dict)
    for x in xs:
        d[x % 3][x] = x + 1
        if x in d[x % 2]:
            d[x % 2][x] += 5
    return [d[k][j] for k in d for j in d[k]], len(d), [(k, list(v)) for k, v in d.items()]


@ab.model
def numbers_by_default(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(int))
    for a, b in zip(xs, xs[1:]):
        g[a][b] += 1
        g[b % 2][a] += 2
    out = []
    for k, row in g.items():
        for j, c in row.items():
            out.append((k, j, c))
    return out, g[1][7], len(g[1]), sum(g[5].values())


@ab.model
def the_larger_by_default(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(float))
    for a, b in zip(xs, xs[1:]):
        g[a][b] = max(g[a][b], a * 0.5) + g[b][a]
    return [(k, sorted(g[k].items())) for k in sorted(g)]


@ab.model
def counts_of_counts(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(int))
    for a in xs:
        g[a % 2][a] += g[0][1] + len(g)
    return [[(j, c) for j, c in row.items()] for row in g.values()]


@ab.model
def other_methods_by_default(p: P, xs: list[int]) -> Any:
    g = defaultdict(dict)
    for a in xs:
        g[a % 2].setdefault(a, a)
        v = g[5].get(a, 3)
        g[a % 3][a] = v
    for k in sorted(g):
        for j in g[k]:
            g[9][j] = k
    return {k: v for k, v in g.items()}


@ab.model
def states_by_default(p: P, xs: list[int]) -> Any:
    h = defaultdict(dict)
    for i, x in enumerate(xs):
        h[i][x] = ops.tanh(p.emb[x])
    s = p.b
    for i in h:
        for x, v in h[i].items():
            s = s + v
    return s


@ab.model
def order_of_insertion(p: P, xs: list[int]) -> Any:
    g = defaultdict(lambda: defaultdict(int))
    for a in xs:
        g[a % 5][len(g)] += len(g) + len(g[a % 5])
        g[a % 4][len(g)] = len(g)
    return [(k, [(j, c) for j, c in row.items()]) for k, row in g.items()]


@ab.model
def emptied(p: P, xs: list[int]) -> Any:
    d = {}
    for x in xs:
        d.setdefault(x % 2, {})[x] = 1
        if x > 3:
            d[x % 2] = {}
    return d


@ab.model
def emptied_list(p: P, xs: list[int]) -> Any:
    d = [{} for _ in range(3)]
    for x in xs:
        d[x % 3][x] = 1
    d[0] = {}
    d.append({})
    d.insert(0, {})
    d += [{}, {}]
    d[1:2] = [{}]
    return d


@ab.model
def emptied_in(p: P, xs: list[int]) -> Any:
    d = {0: {1: {2: 3}}}
    d[0][1] = {}
    d[0][2] = {}
    d[1] = {}
    d[1][1] = {}
    d[1][1][5] = xs[0]
    return d


@ab.model
def emptied_branch(p: P, xs: list[int]) -> Any:
    d = {0: 1} if len(xs) > 2 else {}
    e = {0: {1: 1}} if len(xs) > 2 else {0: {}}
    f = {0: {1: 1}}
    f[1] = {} if len(xs) > 1 else {4: 4}
    g = {0: [[1]]}
    g[1] = [[]]
    g[0] = []
    return d, e, f, g


MODELS = [
    chart_of_labels,
    dicts_in_a_dict,
    with_setdefault,
    layers_of_dicts,
    states_by_node,
    three_levels,
    changed_by_a_function,
    views_that_are_read,
    dicts_by_default,
    numbers_by_default,
    the_larger_by_default,
    counts_of_counts,
    other_methods_by_default,
    states_by_default,
    order_of_insertion,
    emptied,
    emptied_list,
    emptied_in,
    emptied_branch,
]


@ab.model
def changed_while_read(p: P, xs: list[int]) -> int:
    d = {0: {1: 1}, 1: {2: 1}}
    i, j = xs[1], xs[2]
    for k in d[j]:
        d[i][k + 5] = 4
    return len(d[0]) * 10 + len(d[1])
