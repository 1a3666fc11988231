"""Models with objects that are known by several names, and whose fields change: values, keys,
items and results of conditions."""

# Models as they are written in a hurry.
# ruff: noqa: SIM108
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# mypy: disable-error-code="union-attr, attr-defined, operator, arg-type, has-type, list-item"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
from tests.programs.listed_object_models import P


class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent
        self.kids = []
        self.visits = 0

    def add(self, value):
        kid = Node(value, self)
        self.kids.append(kid)
        return kid

    def depth(self):
        return 0 if self.parent is None else 1 + self.parent.depth()

    def total(self):
        return self.value + sum(k.total() for k in self.kids)


@ab.model
def identity(p: P, xs: list[int]) -> Any:
    a, b = Node(1), Node(1)
    c = a
    ns = [a, b]
    return a == b, a == c, a is b, a is c, a in ns, ns.index(b), a != b, ns.count(c)


@dataclass
class D:
    v: int
    tags: list[str] = field(default_factory=list)
    link: D | None = None


@ab.model
def dataclasses_in_a_chain(p: P, xs: list[int]) -> Any:
    ds = [D(x) for x in xs]
    prev = None
    for d in ds:
        if prev is not None:
            prev.link = d
            d.tags.append(str(prev.v))
        prev = d
    if prev:
        prev.v = 99
        prev.tags.append("last")
    return [(d.v, d.tags) for d in ds], [d.link.v for d in ds if d.link]


@ab.model
def dictkeys(p: P, xs: list[int]) -> Any:
    ns = [Node(x) for x in xs]
    seen = set()
    cost = {}
    for n in ns:
        n.value += 1
        cost[n] = n.value
        seen.add(n)
    return sum(cost.values()), len(seen), (ns[0] in seen if ns else False)


@ab.model
def chosen_object(p: P, xs: list[int]) -> Any:
    a, b = Node(1), Node(2)
    for x in xs:
        n = a if x % 2 else b
        n.value += x
        m = n if x % 3 else a
        m.visits += 1
    return a.value, b.value, a.visits, b.visits


class Queue:
    def __init__(self):
        self.items = []

    def put(self, x):
        self.items.append(x)
        return self

    def get(self):
        return self.items.pop(0)

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return len(self.items) > 2


@ab.model
def truth_of_objects(p: P, xs: list[int]) -> Any:
    q = Queue()
    r = Queue()
    qs = [q, r]
    for x in xs:
        qs[x % 2].put(x).put(x + 1)
    out = 0
    while q:
        out += q.get()
    z = 1 if r else 0
    return out, len(q), len(r), z, not q


@ab.model
def made_in_branches(p: P, xs: list[int]) -> Any:
    if xs:
        q = Queue()
    else:
        q = Queue().put(5)
    t = q
    t.put(3)
    return len(q)


@ab.model
def loop_carry(p: P, xs: list[int]) -> Any:
    best = None
    for x in xs:
        n = Node(x)
        if best is None or x > best.value:
            n.parent = best
            best = n
    k = 0
    while best is not None:
        k += best.value
        best = best.parent
    return k


@ab.model
def nested_lists(p: P, xs: list[int]) -> Any:
    rows = [[Node(i * j) for j in range(2)] for i in range(3)]
    flat = [n for row in rows for n in row]
    for n in flat:
        n.value += 1
    rows[1][0].value = 50
    rows[2] = rows[1]
    rows[2][1].value = 60
    return [[n.value for n in row] for row in rows], [n.value for n in flat]


class Head:
    def __init__(self, b):
        self.state = b * 0.0

    def address(self, x):
        self.state = self.state + x
        return self.state


class Machine:
    def __init__(self, p):
        self.p = p
        self.head = Head(p.b)

    def step(self, x):
        p = self.p
        return self.head.address(p.emb[x]) + p.b


@ab.model
def weights_under_their_own_name(p: P, xs: list[int]) -> Any:
    machine = Machine(p)
    return [machine.step(x) for x in xs]


MODELS = [
    weights_under_their_own_name,
    identity,
    dataclasses_in_a_chain,
    dictkeys,
    chosen_object,
    truth_of_objects,
    made_in_branches,
    loop_carry,
    nested_lists,
]
