"""Dataclasses with `__post_init__` whose objects a model makes: fields that follow from others,
checks, and objects that change afterwards."""

# Models as they are written in a hurry.
# ruff: noqa: B905, RUF007
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.listed_object_models import P


@dataclass
class Span:
    start: int
    end: int
    length: int = field(init=False)

    def __post_init__(self):
        if self.start > self.end:
            self.start, self.end = self.end, self.start
        self.length = self.end - self.start


@dataclass
class Share:
    a: float
    b: float

    def __post_init__(self):
        n = self.a + self.b
        a = "a name of its own"
        if n > 0:
            self.a /= n
            self.b /= n
        self.b += 0 * len(a)


@dataclass(frozen=True)
class Fixed:
    a: int
    b: int = 0

    def __post_init__(self):
        if self.b == 0:
            object.__setattr__(self, "b", self.a * 2)


@dataclass(order=True)
class Job:
    rank: int = field(init=False)
    name: str
    k: int = 0

    def __post_init__(self):
        self.rank = -self.k


@dataclass
class Tree:
    h: Float32[Tensor, "H"]
    kids: list[Tree] = field(default_factory=list)
    depth: int = 0

    def __post_init__(self):
        self.h = ops.tanh(self.h)
        self.depth = 1 + max((k.depth for k in self.kids), default=0)


@dataclass
class Range:
    low: int = 0
    high: int = 10
    limit: ClassVar[int] = 5

    def __post_init__(self):
        for _ in range(3):
            if self.high > self.limit:
                self.high -= 1
        low = [self.low + i for i in range(2)]
        self.low = low[-1]


class Heir(Fixed):
    def __post_init__(self):
        object.__setattr__(self, "b", 100)


@dataclass
class Plain:
    a: int


class Undecorated(Plain):
    def __post_init__(self):  # the `__init__` of Plain knows nothing of it
        self.a = 100


@ab.data
class Score:
    a: int
    b: int = 2

    def __post_init__(self):
        assert self.a >= 0, "below 0"
        object.__setattr__(self, "b", self.b + self.a)


@ab.data
class Best:
    score: Score | None
    k: int = 0

    def __post_init__(self):
        object.__setattr__(self, "k", 1 if self.score is None else self.score.b)


def shifted(n):
    return Range(n, n + 1)


@ab.model
def field_of_others(p: P, xs: list[int]) -> Any:
    spans = [Span(a, b) for a, b in zip(xs, xs[1:])]
    best = max(spans, key=lambda s: s.length, default=None)
    return spans, best.length if best is not None else 0


@ab.model
def shares(p: P, xs: list[int]) -> list[float]:
    return [v for x in xs for c in [Share(float(x), 1)] for v in (c.a, c.b)]


@ab.model
def frozen(p: P, xs: list[int]) -> Any:
    made = [Fixed(x) for x in xs] + [Fixed(1, 5)]
    return made, [x.b for x in made], Heir(3).b, Undecorated(3).a


@ab.model
def in_order(p: P, xs: list[int]) -> Any:
    jobs = [Job(str(i), x) for i, x in enumerate(xs)]
    same = (
        Job("a", 1) == Job("a", 1) and Job("a", 1) != Job("b", 1) and Job(k=1, name="a") < jobs[0]
    )
    return [j.name for j in sorted(jobs)], same


@ab.model
def of_tensors(p: P, xs: list[int]) -> Any:
    tree = Tree(p.b)
    for x in xs:
        tree = Tree(p.emb[x] + tree.h, [tree, Tree(p.b)])
    return tree.h * tree.depth


@ab.model
def changes_afterwards(p: P, xs: list[int]) -> Any:
    a = shifted(2)
    a.low += 5
    a.high += a.low
    b = Range(a.low, a.high)
    b.low += 1
    a = Range(b.low + a.high, b.high)
    a.low += len(xs)
    return a.low, a.high, b.low, b.high


@ab.model
def changes_in_a_list(p: P, xs: list[int]) -> Any:
    ranges = [Range(x) for x in xs]
    for a in ranges:
        for b in ranges:
            a.low += b.high
    return [r.low for r in ranges]


@ab.model
def results(p: P, xs: list[int]) -> list[Best]:
    return [Best(Score(x)) for x in xs] + [Best(None), Best(k=4, score=Score(b=1, a=3))]


MODELS = (
    field_of_others,
    shares,
    frozen,
    in_order,
    of_tensors,
    changes_afterwards,
    changes_in_a_list,
    results,
)


@dataclass
class Same:
    xs: list[int]
    ys: list[int] = field(default_factory=list)

    def __post_init__(self):
        self.ys = self.xs


@dataclass
class Growing:
    xs: list[int]

    def __post_init__(self):
        self.xs.append(1)


@dataclass(frozen=True)
class Unset:
    a: int

    def __post_init__(self):
        self.a = 3


@dataclass
class More:
    a: int

    def __post_init__(self):
        self.other = 3


@dataclass
class Heiress(Share):
    c: int = 0

    def __post_init__(self):
        super().__post_init__()
        self.c += 1


def two_names(p: P, xs: list[int]) -> Any:
    same = Same([1])
    same.xs.append(2)
    return same.ys


def list_of_another(p: P, xs: list[int]) -> Any:
    items = [5]
    made = Growing(items)
    return items, made.xs


def never_set(p: P, xs: list[int]) -> Any:
    return Unset(1).a


def no_field(p: P, xs: list[int]) -> Any:
    return More(1).a


def of_the_base(p: P, xs: list[int]) -> Any:
    return Heiress(1.0, 2.0).a


def runs_again(p: P, xs: list[int]) -> Any:
    return dataclasses.replace(Fixed(1), a=3).b


def runs_again_for_data(p: P, xs: list[int]) -> Any:
    return dataclasses.replace(Score(1), a=3).b


REFUSED = (
    (two_names, "AC030"),
    (list_of_another, "AC030"),
    (never_set, "AC012: Unset is frozen: Python refuses to set self.a"),
    (no_field, "AC012: More.__post_init__ does more than to set fields of self"),
    (of_the_base, "AC012: Heiress.__post_init__ does more than to set fields of self"),
    (runs_again, "AC012: Fixed has a __post_init__, which `replace` runs again"),
    (runs_again_for_data, "AC012: Score has a __post_init__, which `replace` runs again"),
)
