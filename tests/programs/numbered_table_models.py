"""Models with objects that are known by several names: tables, pairs and arguments."""

# Models as they are written in a hurry.
# ruff: noqa: B905, RUF007
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# mypy: disable-error-code="union-attr, attr-defined, operator, arg-type, has-type, list-item"

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P

END = 7


class Node:
    LIMIT = 3

    def __init__(self, value: int, parent: Node | None = None) -> None:
        self.value = value
        self.parent = parent
        self.kids: list[Node] = []
        self.tags: dict[str, int] = {}

    def add(self, value: int) -> "Node":
        kid = Node(value, self)
        self.kids.append(kid)
        return kid

    def total(self) -> int:
        return self.value + sum(k.total() for k in self.kids)

    def full(self) -> bool:
        return len(self.kids) >= self.LIMIT

    @property
    def last(self):
        return self.kids[-1]

    @staticmethod
    def double(x):
        return 2 * x

    def __contains__(self, x):
        return any(k.value == x for k in self.kids)

    def __getitem__(self, i):
        return self.kids[i]


@ab.model
def grouped_objects(p: P, xs: list[int]) -> Any:
    groups = defaultdict(list)
    ns = [Node(x) for x in xs]
    for n in ns:
        groups[n.value % 2].append(n)
    for k, g in groups.items():
        for n in g:
            n.value += 10 * k
        g[0].value = -1
    return [n.value for n in ns], sorted(groups)


@ab.model
def table_of_objects(p: P, xs: list[int]) -> Any:
    table: dict[int, Node] = {}
    for x in xs:
        n = table.get(x)
        if n is None:
            n = Node(x)
            table[x] = n
        n.tags["n"] = n.tags.get("n", 0) + 1
        old = table.setdefault(x + 1, n)
        old.value += 1
    return {k: (n.value, n.tags.get("n", 0)) for k, n in table.items()}


def pick(ns: list[Node], i: int) -> Node | None:
    return ns[i] if i < len(ns) else None


@ab.model
def objects_that_may_be_missing(p: P, xs: list[int]) -> Any:
    ns = [Node(x) for x in xs]
    a, b = pick(ns, 0), pick(ns, 9)
    if a:
        a.value = 9
    c = a or Node(4)
    d = b if b is not None else c
    d.value += 1
    same = c is d
    return [n.value for n in ns], d.value, same, b is None, a is d


class Ctr:
    def __init__(self):
        self.n = 0

    def next(self):
        self.n += 1
        return self.n


@ab.model
def order_of_calls(p: P, xs: list[int]) -> Any:
    c = Ctr()
    d = c
    r = [c.next() for _ in range(3)]
    t = (d.next(), c.next() * 10 + d.next(), c.n)
    s = {x: c.next() for x in xs}
    u = c.next() if d.next() % 2 else d.n
    v = (d.n > 3 and c.next() > 100) or d.next() > 0
    w = max(c.next(), d.next(), c.n)
    d.n += c.next()
    return r, t, s, u, v, w, c.n


class Box:
    def __init__(self, items):
        self.items = items


@ab.model
def name_of_another_object(p: P, xs: list[int]) -> Any:
    a = Box([1])
    b = a
    a = Box([2])
    b.items.append(5)
    return a.items, b.items


@ab.model
def single_branch(p: P, xs: list[int]) -> Any:
    a = Ctr()
    if len(xs) > 2:
        a.n = 5
        return a.next(), 0
    b = a
    for x in xs:
        if x > 3:
            continue
        b.n += x
    else:
        a.n += 100
    return b.next(), a.n


def outer(ns, k):
    if k == 0:
        return ns[0]
    ns.append(Node(k))
    return outer(ns, k - 1)


@ab.model
def list_of_objects_passed_on(p: P, xs: list[int]) -> Any:
    ns = [Node(100)]
    n = outer(ns, 3)
    n.value += 1
    return [m.value for m in ns], n is ns[0]


@ab.model
def pairs_of_objects(p: P, xs: list[int]) -> Any:
    ns = [Node(x) for x in xs]
    for a, b in zip(ns, ns[1:]):
        b.value += a.value
        a.parent = b
    for i, n in enumerate(ns):
        if n.parent:
            n.parent.value += i
    for a, b in itertools.combinations(ns, 2):
        a.value, b.value = b.value, a.value + 1
    return [n.value for n in ns]


@ab.model
def cells_that_refer_to_each_other(p: P, xs: list[int]) -> Any:
    cells = [Cell(p.b, i) for i in range(2)]
    cells[0].other = cells[1]
    cells[1].other = cells[0]
    for x in xs:
        c = cells[x % 2]
        c.h = ops.tanh(c.h @ p.w + c.other.h * float(x))
        c.other.hist.append(c.h)
    return (
        [c.h for c in cells],
        [len(c.hist) for c in cells],
        (cells[0].hist[-1] if cells[0].hist else p.b),
    )


class Cell:
    def __init__(self, h, i):
        self.h = h
        self.i = i
        self.other: Cell | None = None
        self.hist = []


@ab.model
def changed_while_searching(p: P, xs: list[int]) -> Any:
    root = Node(0)

    def find(n, v):
        for k in n.kids:
            if k.value == v:
                n.add(v + 100)
                return k
            r = find(k, v)
            if r is not None:
                return r
        return None

    n = root
    for x in xs:
        n = n.add(x)
    f = find(root, 3)
    return (f.value if f is not None else -1), root.total()


@ab.model
def assigned_in_a_test(p: P, xs: list[int]) -> Any:
    a = Node(1)
    out = []
    for x in xs:
        if (k := a.add(x)).value > 2:
            a = k
        out.append(a.value)
    return out


class Holder:
    def __init__(self):
        self.node = Node(1)
        self.kids = [Node(2), Node(3)]


@ab.model
def objects_of_objects(p: P, xs: list[int]) -> Any:
    hs = [Holder() for _ in xs]
    for h, g in zip(hs, hs[1:]):
        h.node = g.node
        g.node.value += 1
        h.kids.append(g.kids[0])
        h.kids[0].value += 4
    return [h.node.value for h in hs], [[k.value for k in h.kids] for h in hs]


@ab.model
def while_pop(p: P, xs: list[int]) -> Any:
    stack = [Node(x) for x in xs]
    seen = {}
    total = 0
    while stack:
        n = stack.pop()
        if n in seen:
            continue
        seen[n] = len(seen)
        n.value -= 1
        if n.value > 5:
            stack.append(n.add(n.value - 3))
        total += n.value
    return total, len(seen)


MODELS = [
    grouped_objects,
    table_of_objects,
    objects_that_may_be_missing,
    order_of_calls,
    name_of_another_object,
    single_branch,
    list_of_objects_passed_on,
    pairs_of_objects,
    cells_that_refer_to_each_other,
    changed_while_searching,
    assigned_in_a_test,
    objects_of_objects,
    while_pop,
]
