"""Models of instances that consist of plain dataclasses and named tuples."""

# Models as they are written in a hurry.
# ruff: noqa: RUF009, UP007, UP045
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Optional, Union

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class Kind(Enum):
    OPEN = "open"
    SHUT = "shut"


class Span(NamedTuple):
    start: int
    stop: int = 3


@dataclass
class Sentence:
    WIDTH: ClassVar[int] = 3

    words: list[int]
    title: str = "none"
    score: float = 0.5
    span: Span = Span(0, 1)
    marks: dict[str, list[int]] = field(default_factory=dict)
    kind: Kind = Kind.OPEN
    year: int | None = None

    def size(self):
        return len(self.words) * self.WIDTH

    @property
    def last(self) -> int:
        return self.words[-1] if self.words else 0

    def __add__(self, other):
        return Sentence(self.words + other.words, self.title + other.title)


SENTENCES = [
    Sentence([1, 2, 3], "abc", 2.5, Span(1), {"x": [1, 2], "y": []}, Kind.SHUT, 1999),
    Sentence([]),
    Sentence([7], year=3, marks={"z": [4]}),
]


@ab.model
def fields(p: P, s: Sentence) -> Any:
    h = p.b
    for w in s.words:
        h = np.tanh(p.emb[w] + h @ p.w)
    year = 0 if s.year is None else s.year
    marks = [(k, sum(v)) for k, v in s.marks.items()]
    return h, s.title.upper(), s.score * 2, s.span.stop - s.span[0], marks, s.kind.value, year


@ab.model
def methods(p: P, s: Sentence) -> Any:
    t = s + s
    return s.size(), s.last, t.words, t.title, t.size(), s.WIDTH, Sentence.WIDTH


@ab.model
def returned(p: P, s: Sentence) -> tuple[Sentence, list[Sentence], dict[str, Sentence]]:
    return s, [s, Sentence([1])], {"a": replace(s, title="new")}


@ab.model
def without_a_hint(p: P, s: Sentence):
    return s, s.span, Span(s.last)


@ab.model
def changed_copy(p: P, s: Sentence):
    t = copy.deepcopy(s)
    t.words = [*t.words, 9]
    t.score += 1.0
    t.title = "copied"
    return s.words, t.words, s.score, t


@ab.model
def made_and_changed(p: P, s: Sentence):
    found = []
    for w in s.words:
        t = Sentence([w])
        t.words.append(w + 1)
        t.year = w
        found.append(t)
    return found


@ab.model
def in_a_list(p: P, s: Sentence):
    ts = [Sentence([w, 2 * w], year=w) for w in s.words]
    ts.append(s)
    for i in range(len(s.words)):
        ts[i] = replace(ts[i], score=1.0 * i)
    ts.sort(key=lambda t: -t.score)
    return [t.title for t in ts], sum(len(t.words) for t in ts), [t.score for t in ts]


def head(s: Sentence, default: Sentence | None = None) -> Sentence | None:
    return s if s.words else default


@ab.model
def may_be_none(p: P, s: Sentence):
    a, b = head(s), head(s, Sentence([5, 6]))
    n = 0 if a is None else a.size()
    return n, b.words if b is not None else [], a


@dataclass(frozen=True, slots=True)
class Leaf:
    word: int


@dataclass(frozen=True, slots=True)
class Node:
    left: Tree
    right: Tree
    label: Optional[str] = None

    def names(self) -> int:
        return (self.label is not None) + names(self.left) + names(self.right)


Tree = Union[Leaf, Node]
SHARED = Node(Leaf(1), Leaf(2), "shared")
TREES = [Leaf(3), SHARED, Node(SHARED, Node(Leaf(0), SHARED), "NP"), Node(Leaf(1), Leaf(1))]


def names(t: Tree) -> int:
    return t.names() if isinstance(t, Node) else 0


@ab.model
def tree(p: P, t: Tree) -> Float32[Tensor, "H"]:
    if isinstance(t, Leaf):
        return p.emb[t.word]
    return ops.tanh(tree(p, t.left) @ p.w + tree(p, t.right))


@ab.model
def matched(p: P, t: Tree) -> tuple[int, Tree]:
    match t:
        case Leaf(word):
            return word, Leaf(word + 1)
        case Node(Leaf(a), Leaf(b), label):
            return a + b, Node(Leaf(b), Leaf(a), label)
        case Node(left, right):
            n, one = matched(p, left)
            m, two = matched(p, right)
            return n * m, Node(two, one)


@ab.model
def mirrored(p: P, t: Tree):
    def turned(t):
        if isinstance(t, Leaf):
            return t
        return Node(turned(t.right), turned(t.left), t.label)

    return turned(t), names(t)


@dataclass
class Chain:
    value: int
    next: Chain | None = None


CHAINS = [Chain(1), Chain(2, Chain(3, Chain(4)))]


@ab.model
def chained(p: P, c: Chain):
    total, h, found = 0, p.b, None
    while c is not None:
        total += c.value
        h = ops.tanh(h @ p.w + p.emb[c.value])
        found = Chain(c.value * 10, found)
        c = c.next
    return total, h, found


@ab.model
def built(p: P, c: Chain) -> Chain | None:
    if c.value > 3:
        return None
    if c.next is None:
        return Chain(0)
    return Chain(c.value, built(p, c.next))


@dataclass
class Checked:
    low: int
    high: int
    width: int = field(init=False)
    names: list[str] = field(default_factory=list, kw_only=True)

    def __post_init__(self):
        self.width = self.high - self.low
        self.low -= 1


CHECKED = [[Checked(1, 5), Checked(2, 2, names=["a"])], [Checked(0, 1)]]


@ab.model
def after_their_construction(p: P, xs: list[Checked]):
    match xs[0]:
        case Checked(width=4):
            n = 1
        case _:
            n = 2
    return n, [x.width for x in xs], [x.low for x in xs], xs[-1], xs[0].names


CASES: tuple[tuple[Any, list[Any]], ...] = (
    *((m, SENTENCES) for m in (
        fields, methods, returned, without_a_hint, changed_copy, made_and_changed, in_a_list,
        may_be_none,
    )),
    *((m, TREES) for m in (tree, matched, mirrored)),
    *((m, CHAINS) for m in (chained, built)),
    (after_their_construction, CHECKED),
)  # fmt: skip
