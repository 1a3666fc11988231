"""Models with objects that are known by several names, and whose fields change: nodes with parents,
union-find, agents that refer to each other, lists that are linked."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905, RUF007
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# mypy: disable-error-code="union-attr, attr-defined, operator, arg-type, has-type, list-item"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import ops
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


class UF:
    def __init__(self, n):
        self.n = n
        self.parent = None
        self.size = 1

    def find(self):
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def union(self, other):
        a, b = self.find(), other.find()
        if a is b:
            return False
        if a.size < b.size:
            a, b = b, a
        b.parent = a
        a.size += b.size
        return True


@ab.model
def union_find(p: P, xs: list[int]) -> Any:
    nodes = [UF(i) for i in range(6)]
    merged = 0
    for a, b in zip(xs, xs[1:]):
        if nodes[a % 6].union(nodes[b % 6]):
            merged += 1
    return merged, [n.find().n for n in nodes], [n.size for n in nodes]


class Agent:
    def __init__(self, name, pos):
        self.name = name
        self.pos = pos
        self.target: Agent | None = None

    def step(self):
        if self.target is not None and self.target is not self:
            if self.target.pos > self.pos:
                self.pos += 1
            elif self.target.pos < self.pos:
                self.pos -= 1


@ab.model
def agents(p: P, xs: list[int]) -> Any:
    agents = [Agent(i, x) for i, x in enumerate(xs)]
    for i, a in enumerate(agents):
        a.target = agents[(i + 1) % len(agents)]
    for _ in range(3):
        for a in agents:
            a.step()
    lead = max(agents, key=lambda a: a.pos) if agents else None
    if lead is not None:
        lead.pos = 100
    return [a.pos for a in agents], [a.target.pos for a in agents]


class Linked:
    def __init__(self, item, next):
        self.item = item
        self.next = next


class Stack:
    def __init__(self):
        self.head = None
        self.n = 0

    def push(self, item):
        self.head = Linked(item, self.head)
        self.n += 1

    def pop(self):
        item = self.head.item
        self.head = self.head.next
        self.n -= 1
        return item

    def __len__(self):
        return self.n


@ab.model
def linked_list(p: P, xs: list[int]) -> Any:
    stack = Stack()
    out = []
    for x in xs:
        if x % 3 == 0 and stack:
            out.append(stack.pop())
        else:
            stack.push(x)
    rest = []
    node = stack.head
    while node is not None:
        node.item += 10
        rest.append(node.item)
        node = node.next
    return out, rest, len(stack)


class Cell:
    def __init__(self, h):
        self.h = h
        self.n = 0


@ab.model
def cells(p: P, xs: list[int]) -> Any:
    cells = {}
    last = None
    for x in xs:
        cell = cells.setdefault(x % 3, Cell(p.b))
        cell.h = ops.tanh(cell.h @ p.w + float(x))
        cell.n += 1
        last = cell
    if last is None:
        return p.b, []
    return last.h, [c.n for c in cells.values()]


@ab.model
def several_names(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    c = Node(2, a)
    b.value = 5
    pair = (a, c)
    pair[0].value += 1
    x, y = pair
    y.parent.value += 1
    box = [a, a, c]
    for n in box:
        n.value *= 2
    return a.value, c.value, x.value


def swap(a, b):
    a.value, b.value = b.value, a.value


@ab.model
def swapped_objects(p: P, xs: list[int]) -> Any:
    ns = [Node(x) for x in xs]
    if len(ns) > 1:
        swap(ns[0], ns[-1])
        swap(ns[1], ns[1])
        ns[0], ns[1] = ns[1], ns[0]
        ns[0].value += 100
    return [n.value for n in ns]


@ab.model
def order_of_operands(p: P, xs: list[int]) -> Any:
    a = Node(1)

    def bump(n):
        n.value += 1
        return n.value

    r = a.value + bump(a) * a.value + bump(a)
    q = [bump(a), a.value, bump(a)]
    d = {bump(a): a.value, a.value: bump(a)}
    return r, q, d


@ab.model
def list_that_grows_in_its_loop(p: P, xs: list[int]) -> Any:
    a = Node(1)
    for x in xs:
        a.add(x)
    n = 0
    for k in a.kids:
        if n < 5:
            a.add(n)
        n += 1
    return n, len(a.kids)


MODELS = [
    union_find,
    agents,
    linked_list,
    cells,
    several_names,
    swapped_objects,
    order_of_operands,
    list_that_grows_in_its_loop,
]
