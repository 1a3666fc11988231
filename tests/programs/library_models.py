"""Models that use `itertools`, `collections`, `operator`, iterators and tables of lambdas."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905, C416, E731, RUF059, SIM118
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict
from itertools import (
    accumulate,
    chain,
    combinations,
    count,
    dropwhile,
    groupby,
    islice,
    pairwise,
    permutations,
    product,
    repeat,
    takewhile,
)
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


OPS = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "t": lambda a, b: ops.tanh(a - b),
}
act = lambda x: ops.tanh(x)
fs = [lambda x: x * 2, lambda x: x * 3]
BIN = {0: operator.add, 1: operator.mul}


@ab.model
def neighbours(p: P, xs: list[int]) -> Any:
    h = p.b
    for a, b in pairwise(xs):
        h = h + p.emb[a] * p.emb[b]
    return (
        h,
        list(accumulate(xs)),
        [t for t in accumulate(xs, initial=3)],
        list(accumulate(xs, max)),
        list(accumulate(xs, lambda a, b: a * b, initial=2)),
    )


@ab.model
def groups(p: P, xs: list[int]) -> Any:
    out = []
    for k, g in groupby(xs):
        out.append((k, len(list(g))))
    out2 = [(k, sum(1 for _ in g)) for k, g in groupby(xs, key=lambda x: x % 2)]
    hs = [p.emb[x] for x in xs]
    o3 = []
    for lab, grp in groupby(zip(xs, hs), key=lambda t: t[0] > 2):
        items = [h for _, h in grp]
        o3.append((lab, sum(items) / len(items)))
    return out, out2, o3


@ab.model
def parts(p: P, xs: list[int]) -> Any:
    return (
        [(a, b) for a, b in product(xs, range(2))],
        list(combinations(xs, 2)),
        [a * b for a, b in permutations(xs, 2)],
        list(islice(xs, 2)),
        list(islice(xs, 1, 3)),
        list(chain(xs, [7], range(2))),
        list(repeat(3, len(xs))),
        list(takewhile(lambda x: x < 5, xs)),
        list(dropwhile(lambda x: x < 5, xs)),
    )


@ab.model
def counts_up(p: P, xs: list[int]) -> Any:
    h = p.b
    for i in count():
        h = ops.tanh(h @ p.w)
        if i >= len(xs):
            break
    q = [(i, x) for i, x in zip(count(5), xs)]
    return h, i, q


@ab.model
def states(p: P, xs: list[int]) -> Any:
    states = list(
        accumulate([p.emb[x] for x in xs], lambda h, x: ops.tanh(h @ p.w + x), initial=p.b)
    )
    return states[-1], sum(a @ b for a, b in combinations(states, 2))


@ab.model
def codes(p: P, xs: list[int]) -> Any:
    it = iter(xs)
    h = p.b
    n = 0
    for op in it:
        if op == 0:
            a = next(it, None)
            if a is None:
                break
            h = ops.tanh(h @ p.w + p.emb[a])
        elif op == 1:
            a, b = next(it, 3), next(it, 4)
            h = ops.tanh(h @ p.w + p.emb[a] * p.emb[b])
        else:
            n += 1
    return h, n


@ab.model
def numbered(p: P, xs: list[int]) -> Any:
    it = iter(enumerate(xs))
    i, x = next(it)
    h = p.emb[x]
    while True:
        nx = next(it, None)
        if nx is None:
            break
        j, y = nx
        h = h + p.emb[y] * j
    return h


@ab.model
def most_common(p: P, xs: list[int]) -> Any:
    c = Counter(xs)
    return c.most_common(2), c.most_common(), c.total(), c.most_common(1)[0][0]


@ab.model
def default_pairs(p: P, xs: list[int]) -> Any:
    d = defaultdict(lambda: (0.0, -1))
    for i, x in enumerate(xs):
        a, b = d[x]
        d[x] = (a + 1.5, i)
    return sorted(d.items())


@ab.model
def recently_used(p: P, xs: list[int]) -> Any:
    lru = OrderedDict()
    hits = 0
    for x in xs:
        if x in lru:
            lru.move_to_end(x)
            hits += 1
        else:
            if len(lru) >= 2:
                lru.popitem(last=False)
            lru[x] = p.emb[x]
    h = p.b
    for k, v in lru.items():
        h = ops.tanh(h @ p.w + v)
    k, v = lru.popitem()
    return h, hits, list(lru), k


@ab.model
def module_table(p: P, xs: list[int], op: str) -> Any:
    h = p.b
    for x in xs:
        if op in OPS:
            h = OPS[op](h, p.emb[x])
    return act(h), fs[1](h)


@ab.model
def local_table(p: P, xs: list[int], op: str) -> Any:
    h = p.b
    fn = {"+": lambda a, b: a + b, "*": lambda a, b: ops.tanh(a * b @ p.w)}
    for x in xs:
        if op in fn:
            h = fn[op](h, p.emb[x])
    return h


@ab.model
def operators(p: P, xs: list[int], op: str) -> Any:
    h = p.b
    for x in xs:
        h = BIN[x % 2](h, p.emb[x])
    return h, act(h) if op in OPS else h


@ab.model
def fixed_entries(p: P, xs: list[int], op: str) -> Any:
    h = p.b
    g = OPS["+"]
    step = lambda h, x: ops.tanh(h + p.emb[x])
    table = [step, lambda h, x: h * p.emb[x]]
    for x in xs:
        h = g(table[0](h, x), p.b)
    return h


@ab.model
def counters_without_a_name(p: P, xs: list[int]) -> Any:
    h = p.b
    for word, n in Counter(xs).most_common(2):
        h = h + p.emb[word] * float(n)
    most = max(Counter(x % 3 for x in xs).items(), key=lambda item: (item[1], item[0]))
    rest = sum(Counter(xs).values()), Counter(xs).most_common(1)[0][0], Counter(xs).get(1, 7)
    return h, most, rest, [k for k in Counter(xs).keys()]


OF_LISTS = (
    counters_without_a_name,
    neighbours,
    groups,
    parts,
    counts_up,
    states,
    codes,
    numbered,
    most_common,
    default_pairs,
    recently_used,
)
OF_OPERATORS = (module_table, local_table, operators, fixed_entries)


@ab.model
def read_twice(p: P, xs: list[int]) -> Any:
    return [(sum(items), list(items)) for key, items in groupby(xs)]
