"""Models with class methods, static methods and constants of classes: `Span.of(xs)`."""

# Models as they are written in a hurry.
# ruff: noqa: C417, RUF012
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined"
# mypy: disable-error-code="no-any-return, misc, operator, index"

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


class Span:
    LIMIT = 3
    TABLE = {"a": 1, "b": 2}
    SIZES = (4, 5, 6)

    def __init__(self, a, b):
        self.a = self.clip(a)
        self.b = b + self.LIMIT
        self.log = []

    @classmethod
    def of(cls, xs):
        return cls(xs[0], xs[-1] + cls.LIMIT)

    @classmethod
    def made_by_name(cls, xs):
        return cls.of(xs)

    @staticmethod
    def clip(x):
        return min(x, 5)

    def limit(self):
        return self.LIMIT + self.SIZES[1] + Span.SIZES[self.a % 3]

    def push(self, x):
        self.log.append(self.clip(x) + self.LIMIT)
        self.a += 1

    def again(self):
        return self.of([self.a, self.b]).b


class Wide(Span):
    LIMIT = 7

    @classmethod
    def of(cls, xs):
        return cls(xs[0], 1)


@ab.model
def records(p: P, xs: list[int]) -> Any:
    s = Span.of(xs)
    t = Wide.of(xs)
    u = Wide.made_by_name(xs)
    return (
        s.a,
        s.b,
        t.a,
        t.b,
        u.b,
        s.limit(),
        t.limit(),
        Span.clip(xs[0]),
        s.clip(9),
        s.LIMIT,
        t.LIMIT,
        Span.LIMIT,
        Span.TABLE["b"],
        s.again(),
        t.again(),
    )


@ab.model
def changing(p: P, xs: list[int]) -> Any:
    s = Span.of(xs)
    t = Wide.of(xs)
    u = Wide.made_by_name(xs)
    for x in xs:
        s.push(x)
        t.push(x)
        u.push(x)
    return (
        s.a,
        s.b,
        t.a,
        t.b,
        u.b,
        s.limit(),
        t.limit(),
        s.clip(9),
        s.log,
        t.log,
        s.LIMIT,
        t.LIMIT,
        s.again(),
        t.again(),
        u.log,
        s.SIZES[xs[0] % 3],
        s.TABLE["a"],
    )


@dataclass
class D:
    a: int
    scale = 2
    names: list[int] = field(default_factory=list)

    @classmethod
    def empty(cls):
        return cls(0)

    @classmethod
    def start(cls, n, *, k=2):
        d = cls(n * k)
        d.push(3)
        return d

    def push(self, x):
        self.names.append(x * self.scale)


class E(D):
    scale = 5


@ab.model
def datas(p: P, xs: list[int]) -> Any:
    d, e, f = D.empty(), E.empty(), E.start(4, k=3)
    for x in xs:
        d.push(x)
        e.push(x)
        f.push(x)
    return d.names, e.names, f.names, f.a


class Tok:
    @staticmethod
    def ids(xs):
        return [x + 1 for x in xs]

    count = 4


@ab.model
def namespace(p: P, xs: list[int]) -> Any:
    return Tok.ids(xs), Tok.count


class Rebind:
    n = 3

    def __init__(self):
        self.n = self.n + 1


@ab.model
def rebind(p: P, xs: list[int]) -> Any:
    return Rebind().n


class Shadow:
    def __init__(self, a):
        self.a = a

    @classmethod
    def of(cls, xs):
        f = [cls(x).a for x in xs]
        cls = xs
        return cls[0] + sum(f)


@ab.model
def shadow(p: P, xs: list[int]) -> Any:
    return Shadow.of(xs)


class Nested:
    def __init__(self, a):
        self.a = a

    @classmethod
    def of(cls, xs):
        def make(x):
            return cls(x)

        return sum([make(x).a for x in xs]) + sum(map(lambda x: cls(x).a, xs))


@ab.model
def nested(p: P, xs: list[int]) -> Any:
    return Nested.of(xs)


class Counter2:
    total = 0

    def __init__(self):
        self.a = 1

    def add(self):
        Counter2.total += 1

    def add2(self):
        self.total += 1


@ab.model
def changes_class(p: P, xs: list[int]) -> Any:
    c = Counter2()
    c.add()
    return c.a


@ab.model
def sets_own(p: P, xs: list[int]) -> Any:
    c = Counter2()
    c.add2()
    return c.total


@ab.model
def many_same(p: P, xs: list[int]) -> Any:
    ss = [Span.of(xs) for _ in range(3)]
    return sum(s.b for s in ss)


@ab.model
def passed(p: P, xs: list[int]) -> Any:
    make = Span.of
    return make(xs).b, [s.b for s in map(Span.of, [xs, xs])]


MODELS = [
    records,
    changing,
    datas,
    namespace,
    nested,
    many_same,
    passed,
]
REFUSED = [
    rebind,
    shadow,
    changes_class,
    sets_own,
]
