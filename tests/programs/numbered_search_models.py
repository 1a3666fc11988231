"""Models with objects that are known by several names: games, queues and tables of nodes."""

# Models as they are written in a hurry.
# ruff: noqa: E731
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"
# mypy: disable-error-code="union-attr, attr-defined, operator, arg-type, has-type, list-item"

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
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


class Game:
    def __init__(self, p: P, xs: list[int], start=None):
        self.p = p
        self.xs = xs
        self.log = []
        self.n = start or 2
        self.root = Node(0)
        self.best: Node | None = None
        for x in xs:
            if x > 2:
                self.n += 1
        self.note("init")
        k = self.n * 2
        self.k = k

    def note(self, what):
        self.log.append((what, self.n))

    def run(self):
        node = self.root
        for x in self.xs:
            node = node.add(x)
            if self.best is None or node.value > self.best.value:
                self.best = node
            self.note(str(x))
            if node.value == END:
                break
        return node

    def h(self):
        return self.p.b * float(self.n)


@ab.model
def one_object_with_others(p: P, xs: list[int]) -> Any:
    game = Game(p, xs)
    last = game.run()
    if game.best is not None:
        game.best.value += 50
    up, path = last, []
    while up is not None:
        path.append(up.value)
        up = up.parent
    return game.log, path, game.root.total(), game.h(), game.k


@ab.model
def name_clash(p: P, xs: list[int]) -> Any:
    END = 100
    game = Game(p, xs, 5)
    other = game
    other.n += END
    node = game.run()
    return game.n, node.value


@ab.model
def sorted_objects(p: P, xs: list[int]) -> Any:
    ns = [Node(x) for x in xs]
    ms = sorted(ns, key=lambda n: -n.value)
    for i, m in enumerate(ms):
        m.value = i
    ns.sort(key=lambda n: n.value)
    ns.reverse()
    top = ns[:2]
    for t in top:
        t.value += 100
    return [n.value for n in ns], [m.value for m in ms], min((n.value for n in ns), default=0)


@ab.model
def removed_objects(p: P, xs: list[int]) -> Any:
    ns = [Node(x) for x in xs]
    if len(ns) > 2:
        a = ns[1]
        ns.remove(a)
        a.value = 77
        ns.append(a)
        ns.insert(0, a)
        del ns[1]
        b = ns.pop()
        b.value += 1
        ns.extend([a, b])
    return [n.value for n in ns]


@ab.model
def methods_of_operators(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    for x in xs:
        b.add(x)
    return (
        3 in a,
        99 not in a,
        (a[0].value if a.kids else -1),
        a.full(),
        (a.last.value if a.kids else 0),
        a.double(4),
        Node.double(3),
    )


@ab.model
def dict_of_an_object(p: P, xs: list[int]) -> Any:
    a = Node(1)
    b = a
    for x in xs:
        b.tags[str(x)] = b.tags.get(str(x), 0) + x
    out = []
    for k, v in a.tags.items():
        out.append((k, v))
        b.value += v
    a.tags.pop("3", 0)
    return out, a.value, b.tags


@ab.model
def local_functions(p: P, xs: list[int]) -> Any:
    root = Node(0)
    count = 0

    def walk(node, depth):
        nonlocal count
        count += 1
        node.value += depth
        for k in node.kids:
            walk(k, depth + 1)

    n = root
    for x in xs:
        n = n.add(x) if x % 2 else root.add(x)
    walk(root, 1)
    f = lambda q: q.value * 2
    return count, root.total(), f(n), [f(k) for k in root.kids]


@dataclass
class Edge:
    src: Node
    dst: Node
    w: float = 1.0

    def relax(self) -> bool:
        if self.src.value + self.w < self.dst.value:
            self.dst.value = self.src.value + int(self.w)
            return True
        return False


@ab.model
def relaxed_edges(p: P, xs: list[int]) -> Any:
    ns = [Node(50 + i) for i in range(len(xs) + 1)]
    ns[0].value = 0
    es = [Edge(ns[i], ns[i + 1], float(x)) for i, x in enumerate(xs)]
    es += [Edge(ns[0], ns[-1], 6.0)]
    n = 0
    changed = True
    while changed:
        changed = False
        for e in es:
            if e.relax():
                changed = True
                n += 1
    return [x.value for x in ns], n


@dataclass(order=True)
class Item:
    cost: float
    i: int
    node: Node = field(compare=False)


@ab.model
def objects_in_ordered_records(p: P, xs: list[int]) -> Any:
    q = []
    root = Node(5)
    heapq.heappush(q, Item(0.0, 0, root))
    seen, n = [], 0
    while q and n < 12:
        it = heapq.heappop(q)
        it.node.value += 1
        seen.append(it.node.value)
        n += 1
        if n < 4:
            for x in xs[:2]:
                heapq.heappush(q, Item(it.cost + x, n, it.node.add(x)))
    return seen, root.total()


@ab.model
def queue_of_objects(p: P, xs: list[int]) -> Any:
    q = deque()
    root = Node(0)
    q.append((root, 0))
    out = []
    for x in xs:
        root.add(x).add(x + 1)
    while q:
        node, d = q.popleft()
        node.value += d * 10
        out.append(node.value)
        for k in node.kids:
            q.append((k, d + 1))
    return out


MODELS = [
    one_object_with_others,
    name_clash,
    sorted_objects,
    removed_objects,
    methods_of_operators,
    dict_of_an_object,
    local_functions,
    relaxed_edges,
    objects_in_ordered_records,
    queue_of_objects,
]
