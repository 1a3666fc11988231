"""Models with objects that are known by several names: loops, recursions and lambdas."""

# Models as they are written in a hurry.
# ruff: noqa: E731
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# mypy: disable-error-code="union-attr, attr-defined, operator, arg-type, has-type, list-item"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


class Node:
    def __init__(self, value):
        self.value = value
        self.kids = []
        self.best = None

    def grow(self):
        for k in self.kids:
            k.value += 1
            if k.value % 2 == 0 and len(self.kids) < 6:
                self.kids.append(Node(k.value + 3))
        return len(self.kids)

    def cut(self):
        n = 0
        for k in self.kids:
            if k.value > 3:
                self.kids.remove(k)
            n += 1
        return n

    def pick(self):
        self.best = max(self.kids, key=lambda k: k.value) if self.kids else None
        return self.best


@ab.model
def grows_in_its_loop(p: P, xs: list[int]) -> Any:
    a = Node(0)
    b = a
    for x in xs:
        b.kids.append(Node(x))
    return a.grow(), [k.value for k in b.kids]


@ab.model
def shrinks_in_its_loop(p: P, xs: list[int]) -> Any:
    a = Node(0)
    b = a
    for x in xs:
        b.kids.append(Node(x))
    return a.cut(), [k.value for k in b.kids]


@ab.model
def chosen_of_a_field(p: P, xs: list[int]) -> Any:
    a = Node(0)
    b = a
    b.kids = [Node(x) for x in xs]
    k = a.pick()
    if k is not None:
        k.value = 1000
        a.kids.pop()
    return [n.value for n in b.kids], (b.best.value if b.best else -1)


@ab.model
def leaves_its_loop(p: P, xs: list[int]) -> Any:
    a = Node(0)
    b = a
    for x in xs:
        a.kids.append(Node(x))
    out = []
    for k in b.kids:
        if k.value == 3:
            continue
        if len(out) > 3:
            break
        out.append(k.value)
        a.kids.insert(0, Node(k.value + 1)) if len(a.kids) < 9 else None
    return out, len(b.kids)


class One:
    def __init__(self, xs):
        self.rows = [[x] for x in xs]
        self.d = {x: [x] for x in xs}
        self.n = 0

    def add(self, x):
        self.rows[x % len(self.rows)].append(x)
        self.d.setdefault(x, []).append(self.n)
        self.n += 1
        return self

    def sum(self):
        return sum(sum(r) for r in self.rows)

    def loop(self):
        c = 0
        for r in self.rows:
            for x in r:
                c += x
                if c < 8:
                    self.add(x + 1)
        return c


def helper(n: Node, depth: int = 2) -> int:
    if depth == 0 or n is None:
        return 0
    n.value += depth
    return n.value + helper(n.best, depth - 1)


@ab.model
def passed_to_a_recursion(p: P, xs: list[int]) -> Any:
    a, b = Node(1), Node(2)
    a.best, b.best = b, a
    r = helper(a) + helper(b, depth=3) * helper(a, 1)
    return r, a.value, b.value


@ab.model
def read_by_lambdas(p: P, xs: list[int]) -> Any:
    a = Node(1)
    f = lambda n, k: n.value + k
    b = a
    b.value += 1
    r = f(a, 2)
    g = lambda: a.value
    b.value += 1
    return r, g(), f(b, g())


@ab.model
def names_that_change(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    for x in xs:
        match x % 3:
            case 0:
                b.value += 5
            case 1:
                a = Node(a.value)
                a.best = b
            case _:
                b = a
    return a.value, b.value, a is b


@ab.model
def items_of_a_dict(p: P, xs: list[int]) -> Any:
    d: dict[str, Node] = {"a": Node(1), "b": Node(2)}
    d["c"] = d["a"]
    d["c"].value += 5
    d["b"].best = d["c"]
    for k, n in d.items():
        n.value += len(k)
    e = dict(d)
    e["a"].value += 100
    x = d.pop("a")
    x.value += 1000
    return {k: n.value for k, n in d.items()}, list(e), x.value, "a" in d


@ab.model
def made_in_two_places(p: P, xs: list[int]) -> Any:
    o = One([1]) if xs else One([2, 3])
    q = o
    q.add(1)
    return o.rows


@ab.model
def fields_that_may_be_missing(p: P, xs: list[int]) -> Any:
    a = Link(None, 1)
    b = Link(a, 2)
    c = b
    c.up.v += 3
    if a.up:
        a.up.v = 0
    return a.v, b.v, b.up is a, a.up is None


@dataclass(eq=False)
class Link:
    up: Link | None
    v: int


@ab.model
def tuple_in_a_field(p: P, xs: list[int]) -> Any:
    a, b = Node(1), Node(2)
    t = T((a, b), {"x": a})
    u = t
    u.pair[0].value += 4
    u.d["x"].value *= 2
    x, y = t.pair
    u.pair = (y, x)
    u.pair[0].value += 50
    return a.value, b.value


class T:
    def __init__(self, pair, d):
        self.pair = pair
        self.d = d


@ab.model
def changed_in_an_index(p: P, xs: list[int]) -> Any:
    ns = [Node(i) for i in range(3)]
    c = Node(0)

    def nxt():
        c.value += 1
        return c.value % 3

    ns[nxt()].value = 100 + nxt()
    ns[nxt()].value += nxt() * 10
    ns[nxt()].kids.append(ns[nxt()])
    return [n.value for n in ns], [len(n.kids) for n in ns], c.value


class Costs:
    def __init__(self, p: P, xs: list[int]):
        self.p = p
        self.xs = xs
        self.cache: dict[int, int] = {}
        self.h = p.b

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = self.xs[i % len(self.xs)] + len(self.cache)
            self.h = ops.tanh(self.p.w @ self.h)
        return self.cache[i]

    def of(self, i):
        return self[i] * 2


@ab.model
def methods_as_functions(p: P, xs: list[int]) -> Any:
    if not xs:
        return 0, [], p.b
    costs = Costs(p, xs)
    same = costs
    total = sum(map(costs.of, [3, 1, 3, 2]))
    found = list(map(same.of, xs))
    return total + costs[5], found, costs.h


class Expert:
    def __init__(self, p: P, k):
        self.w, self.k = p.w * float(k), k

    def __call__(self, h):
        return ops.tanh(h @ self.w), self.k


@ab.model
def called_where_it_is_made(p: P, xs: list[int]) -> Any:
    h, ks = p.b, []
    for x in xs:
        h, k = Expert(p, x)(h)
        ks.append(k)
    return h, ks


MODELS = [
    grows_in_its_loop,
    shrinks_in_its_loop,
    chosen_of_a_field,
    leaves_its_loop,
    passed_to_a_recursion,
    read_by_lambdas,
    names_that_change,
    items_of_a_dict,
    made_in_two_places,
    fields_that_may_be_missing,
    tuple_in_a_field,
    changed_in_an_index,
    methods_as_functions,
    called_where_it_is_made,
]
