"""Models with base classes whose lists and tensors change: `super().__init__(xs)`."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined"
# mypy: disable-error-code="no-any-return, misc, operator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class Shape:
    def __init__(self, v):
        self.v = v

    def area(self):
        return self.v * 2


class N1(Shape):
    def area(self):
        return Shape.area(self) + 1


class N2(Shape):
    def area(self):
        return Shape.area(self) * 10


class Nixed(N1, N2):
    def area(self):
        return N1.area(self) + 100


@ab.model
def nixed(p: P, xs: list[int]) -> Any:
    m = Nixed(xs[0])
    return m.area()


@dataclass(slots=True)
class S:
    a: int

    def f(self):
        return self.a


@dataclass(slots=True)
class S2(S):
    def f(self):
        return super().f() + 1


@ab.model
def slots(p: P, xs: list[int]) -> Any:
    s = S2(3)
    return s.f()


class Ex(Shape):
    def __init__(self, v):
        Shape.__init__(self, v)
        self.u = 3


@ab.model
def explicit_init(p: P, xs: list[int]) -> Any:
    s = Ex(3)
    return s.area()


class Arr:
    def __init__(self, h):
        self.h = h

    def add(self, x):
        self.h += x


class Arr2(Arr):
    def __init__(self, h):
        super().__init__(h)
        self.n = 1


@ab.model
def arrays_shared(p: P, xs: list[int]) -> Any:
    h = ops.tanh(p.b)
    a = Arr2(h)
    a.add(p.emb[1])
    return h, a.h


class Arr3(Arr):
    def __init__(self, h):
        super().__init__(h)
        self.h += 1.0


@ab.model
def arrays_in_init(p: P, xs: list[int]) -> Any:
    h = ops.tanh(p.b)
    a = Arr3(h)
    return h, a.h


class Q:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()


class Q2(Q):
    def __init__(self):
        super().__init__()
        self.seen = {}

    def push(self, x):
        if x not in self.seen:
            self.seen[x] = 1
            super().push(x)

    def last(self):
        return super().pop()


@ab.model
def queue(p: P, xs: list[int]) -> Any:
    q = Q2()
    for x in xs:
        q.push(x)
    r = q.pop()
    return q.items, r, sorted(q.seen)


@ab.model
def queue_last(p: P, xs: list[int]) -> Any:
    q = Q2()
    for x in xs:
        q.push(x)
    return q.last()


class L0:
    def __init__(self, xs):
        self.xs = xs

    def add(self, x):
        self.xs.append(x)


class L1(L0):
    def __init__(self, xs):
        super().__init__(xs)
        self.ys = xs


@ab.model
def same_list(p: P, xs: list[int]) -> Any:
    r = L1([1])
    r.add(2)
    return r.xs, r.ys


class L2(L0):
    def __init__(self, xs):
        self.keep = xs
        super().__init__([*xs])
        self.keep.append(1)


@ab.model
def caller_sees(p: P, xs: list[int]) -> Any:
    ys = [1]
    r = L2(ys)
    r.add(2)
    return r.xs, ys


class Brr:
    def __init__(self, p):
        self.h = ops.tanh(p.b)

    def add(self, x):
        self.h += x


class Brr2(Brr):
    def __init__(self, p):
        super().__init__(p)
        self.n = 1

    def add(self, x):
        self.n += 1
        super().add(x)


@ab.model
def arrays_own(p: P, xs: list[int]) -> Any:
    a = Brr2(p)
    for x in xs:
        a.add(p.emb[x])
    return a.h, a.n


class Brr3(Brr):
    def __init__(self, p, h):
        super().__init__(p)
        self.h = h


@ab.model
def arrays_given(p: P, xs: list[int]) -> Any:
    h = ops.tanh(p.b)
    a = Brr3(p, h)
    for x in xs:
        a.add(p.emb[x])
    return a.h, h


MODELS = [
    nixed,
    explicit_init,
    queue,
    queue_last,
    arrays_own,
]
REFUSED = [
    slots,
    arrays_shared,
    arrays_in_init,
    same_list,
    caller_sees,
    arrays_given,
]
