"""Models with methods and `__init__` of base classes: `super().push(x)`, `Base.push(self, x)`."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined"
# mypy: disable-error-code="no-any-return, misc, operator"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class Base:
    def __init__(self, n, items):
        self.n = n
        self.items = items
        self.log = []

    def push(self, x):
        self.items.append(x)
        self.n += 1
        return self.n

    def size(self):
        return len(self.items)

    @property
    def total(self):
        return sum(self.items)

    def both(self):
        return self.size() * 2


class Child(Base):
    def __init__(self, n, k=3):
        super().__init__(n + 1, [n])
        self.k = k

    def push(self, x):
        self.k += 1
        a = super().push(x)
        self.log.append(x)
        return a + self.k

    def size(self):
        return super().size() + 10

    @property
    def total(self):
        return super().total + 100


class Grandchild(Child):
    def size(self):
        return super().size() + 5


class Only(Base):
    pass


@ab.model
def changing(p: P, xs: list[int]) -> Any:
    s = Child(4)
    t = 0
    for x in xs:
        t += s.push(x)
        if x > 3:
            s.push(x)
    return t, s.n, s.k, s.items, s.log, s.size(), s.total, s.both()


@ab.model
def grand(p: P, xs: list[int]) -> Any:
    s = Grandchild(4, k=7)
    t = 0
    for x in xs:
        t += s.push(x)
    return t, s.n, s.k, s.items, s.size(), s.total, s.both()


@ab.model
def only(p: P, xs: list[int]) -> Any:
    s = Only(1, [2])
    for x in xs:
        s.push(x)
    r = Only(1, xs)
    return s.items, r.size(), r.both(), r.total


class Shape:
    def __init__(self, v):
        self.v = v

    def area(self):
        return self.v * 2


class Square(Shape):
    def __init__(self, v, p):
        self.e = p.emb[v % 9]
        super().__init__(v)
        self.q = self.v + 1

    def area(self):
        return super().area() + self.q


@ab.model
def unchanged(p: P, xs: list[int]) -> Any:
    ss = [Square(x, p) for x in xs]
    return sum(s.area() for s in ss), sum(s.e for s in ss)


@dataclass
class Span:
    a: int
    b: int

    def width(self):
        return self.b - self.a


@dataclass
class Labelled(Span):
    label: int = 3

    def width(self):
        return super().width() * self.label

    def grow(self):
        self.b += 1


class Undecorated(Span):
    def width(self):
        return super().width() + 1


class Own(Span):
    def __init__(self, a):
        super().__init__(a, b=a + 5)
        self.extra = [a]

    def grow(self, x):
        self.extra.append(x)
        self.a -= 1


@ab.model
def datas(p: P, xs: list[int]) -> Any:
    s = Labelled(1, 4)
    for _ in xs:
        s.grow()
    u = Undecorated(2, 9)
    o = Own(3)
    for x in xs:
        o.grow(x)
    q = [Own(x) for x in xs]
    return s.width(), u.width(), o.width(), o.extra, o.a, sum(e.width() for e in q)


@ab.model
def equal_by_base(p: P, xs: list[int]) -> Any:
    return [1 if Own(x) == Own(xs[0]) else 0 for x in xs], [
        1 if Undecorated(x, 1) == Undecorated(1, 1) else 0 for x in xs
    ]


@ab.model
def different_classes(p: P, xs: list[int]) -> Any:
    return 1 if Undecorated(1, 1) == Span(1, 1) else 0


class M1(Shape):
    def area(self):
        return super().area() + 1


class M2(Shape):
    def area(self):
        return super().area() * 10


class Mixed(M1, M2):
    def area(self):
        return super().area() + 100


@ab.model
def mixed(p: P, xs: list[int]) -> Any:
    return Mixed(xs[0]).area()


class Shared(Base):
    def __init__(self, xs):
        super().__init__(1, xs)


@ab.model
def shared(p: P, xs: list[int]) -> Any:
    ys = [*xs]
    s = Shared(ys)
    s.push(3)
    return ys, s.items


@ab.model
def moved(p: P, xs: list[int]) -> Any:
    ys = [*xs]
    s = Shared(ys)
    s.push(3)
    return s.items


class Twice(Base):
    def __init__(self, n):
        ys = [n]
        super().__init__(n, ys)
        self.other = ys


@ab.model
def twice(p: P, xs: list[int]) -> Any:
    s = Twice(3)
    s.push(3)
    return s.items, s.other


@dataclass
class Cmp:
    a: int
    b: int = field(compare=False)


@ab.model
def compare_false(p: P, xs: list[int]) -> Any:
    return [1 if Cmp(1, x) == Cmp(1, 3) else 0 for x in xs]


MODELS = [
    changing,
    grand,
    only,
    unchanged,
    datas,
    moved,
]
REFUSED = [
    equal_by_base,
    different_classes,
    mixed,
    shared,
    twice,
    compare_false,
]
