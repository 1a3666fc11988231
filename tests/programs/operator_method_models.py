"""Models with operators that methods of plain classes define: `a + b`, `a < b`."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined"
# mypy: disable-error-code="no-any-return, misc, operator, index, override"

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class V:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return V(self.x * k, self.y * k)

    def __rmul__(self, k):
        return V(k * self.x, self.y - k)

    def __sub__(self, o):
        return V(self.x - o, 0)

    def __rsub__(self, o):
        return V(o - self.x, 1)

    def __neg__(self):
        return V(-self.x, -self.y)

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __eq__(self, o):
        return self.x == o.x

    def __lt__(self, o):
        return self.x < o.x


@ab.model
def arith(p: P, xs: list[int]) -> Any:
    a, b = V(xs[0], 1), V(2, xs[-1])
    c = a + b * 3
    d = -c
    return c.x, d.y, c @ d


@ab.model
def compared(p: P, xs: list[int]) -> Any:
    a, b = V(xs[0], 1), V(2, xs[-1])
    return 1 if a < b else 0, 1 if a > b else 0, 1 if a == b else 0, 1 if a != b else 0


@ab.model
def reflected(p: P, xs: list[int]) -> Any:
    a = V(xs[0], 1)
    b, c = 3 * a, 10 - a - 2
    return b.x, b.y, c.x, c.y


@ab.model
def heap(p: P, xs: list[int]) -> Any:
    h = []
    for i, x in enumerate(xs):
        heapq.heappush(h, V(x % 3, i))
    out = []
    while h:
        out.append(heapq.heappop(h).y)
    return out


@dataclass
class Gate:
    h: Any
    n: int = 0

    def __add__(self, o):
        return Gate(self.h + o.h, self.n + o.n)

    def __matmul__(self, w):
        return Gate(ops.tanh(self.h @ w), self.n + 1)


@ab.model
def tensors(p: P, xs: list[int]) -> Any:
    g = Gate(p.b)
    for x in xs:
        g = (g + Gate(p.emb[x % 9])) @ p.w
    return g.h, g.n, 1 if Gate(1, 2) == Gate(1, xs[0]) else 0


class Base:
    def __init__(self, n):
        self.n = n

    def __add__(self, o):
        return self.n + o.n

    def __radd__(self, o):
        return 5


class Child(Base):
    def __radd__(self, o):
        return 7


@ab.model
def subclass_first(p: P, xs: list[int]) -> Any:
    return Base(xs[0]) + Child(2)


class Careful(Base):
    def __add__(self, o):
        if o.n > 3:
            return NotImplemented
        return self.n


@ab.model
def not_implemented(p: P, xs: list[int]) -> Any:
    return Careful(xs[0]) + Careful(xs[-1])


class Grows(Base):
    def __iadd__(self, o):
        return Grows(self.n - o.n)


@ab.model
def in_place(p: P, xs: list[int]) -> Any:
    b = Grows(3)
    b += Grows(xs[0])
    return b.n


@ab.model
def sorted_objects(p: P, xs: list[int]) -> Any:
    return [v.y for v in sorted([V(-x, i) for i, x in enumerate(xs)])]


@ab.model
def no_order(p: P, xs: list[int]) -> Any:
    return 1 if Base(xs[0]) < Base(2) else 0


@ab.model
def changes(p: P, xs: list[int]) -> Any:
    b = Base(3)
    b.n += xs[0]
    return b + b


MODELS = [
    arith,
    compared,
    reflected,
    heap,
    tensors,
    sorted_objects,
]
REFUSED = [
    subclass_first,
    not_implemented,
    no_order,
    in_place,
    changes,
]
