"""Models as they are written in a hurry: without hints, or with `list` and `np.ndarray`."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, type-arg, index, attr-defined"

from __future__ import annotations

import enum
from collections import namedtuple
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 E"]
    w: Float32[Tensor, "E E"]


def weights() -> P:
    rng = np.random.default_rng(0)
    return P(emb=rng.normal(size=(9, 4)), w=rng.normal(size=(4, 4)))


_RNG = np.random.default_rng(1)


def array(*shape: int) -> np.ndarray:
    """Numbers in double precision, as numpy makes them."""
    return _RNG.normal(size=shape)


@dataclass
class Word:
    id: int
    vec: np.ndarray
    features: list


@ab.model
def tagger(p, words: list) -> Any:
    h, out = np.zeros(4), []
    for word in words:
        h = np.tanh(h @ p.w + word.vec + sum(word.features) + p.emb[word.id])
        out.append(h)
    return out


TAGGED = [[Word(1, array(4), [1.0, 2.0]), Word(2, array(4), [])], [Word(3, array(4), [3.0])]]


class Tree:
    """A class as it is written without dataclasses."""

    def __init__(self, label, kids=()):
        self.label, self.kids = label, list(kids)

    def is_leaf(self):
        return not self.kids


@ab.model
def encode(p, tree) -> Any:
    if tree.is_leaf():
        return p.emb[tree.label]
    return np.tanh(sum(encode(p, kid) for kid in tree.kids) @ p.w)


TREES = [Tree(1), Tree(0, [Tree(2), Tree(3, [Tree(4), Tree(1)])])]


@dataclass
class Leaf:
    vec: np.ndarray


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


@ab.model
def two_classes(p: P, t) -> Any:
    if isinstance(t, Leaf):
        return t.vec
    return np.tanh((two_classes(p, t.left) + two_classes(p, t.right)) @ p.w)


LEAVES = [Leaf(array(4)), Node(Leaf(array(4)), Node(Leaf(array(4)), Leaf(array(4))))]


@ab.model
def calculate(p, t) -> Any:
    if isinstance(t, int):
        return p.emb[t]
    op, left, right = t
    a, b = calculate(p, left), calculate(p, right)
    return a + b if op == "+" else a * b


TUPLES = [3, ("+", 1, ("*", 2, 3)), ("*", ("+", ("+", 1, 2), 3), 4)]


@ab.model
def bracketed(p, t) -> Any:
    label, kids = t
    if isinstance(kids, int):
        return p.emb[kids]
    h = np.tanh(sum(bracketed(p, kid) for kid in kids) @ p.w)
    return -h if label == "VP" else h


BRACKETS = [
    ("S", (("NP", 1), ("VP", (("V", 2), ("N", 3), ("S", (("A", 1), ("B", 2), ("C", 3))))))),
    ("N", 1),
]


@ab.model
def chain(p, t) -> Any:
    h = ops.zeros(4)
    while t is not None:
        i, t = t
        h = np.tanh(h @ p.w + p.emb[i])
    return h


CHAINS = [None, (1, None), (1, (2, (3, (4, (5, None)))))]


class Item(NamedTuple):
    number: int
    vec: np.ndarray


Pair = namedtuple("Pair", ["number", "vec"])


@ab.model
def several(p, items: list[Item], scale: dict, power=2) -> Any:
    return sum((item.vec @ p.w) * scale["a"] for item in items) ** power


SEVERAL = [
    ([Item(1, array(4))], {"a": 1.0}),
    ([Item(1, array(4)), Item(2, array(4))], {"a": 2.0, "b": 3.0}, 3),
]


@ab.model
def untyped_tuples(p, items) -> Any:
    return [item.vec * item.number for item in items]


UNTYPED = [[Pair(1, array(4))], [Pair(2, array(4)), Pair(3, array(4))]]


class Kind(enum.Enum):
    PLAIN = "plain"
    TWICE = "twice"


class State:
    __slots__ = ("kind", "next", "number")

    def __init__(self, number, kind, following=None):
        self.number, self.kind, self.next = number, kind, following


@ab.model
def linked(p, state: State) -> Any:
    h = np.zeros(4)
    while state is not None:
        h = h @ p.w + p.emb[state.number] * (2.0 if state.kind == Kind.TWICE else 1.0)
        state = state.next
    return h


LINKED = [State(1, Kind.PLAIN), State(2, Kind.TWICE, State(3, Kind.PLAIN))]


@ab.model
def labelled(p, t) -> Any:
    label, kids = t
    if not kids:
        return p.emb[len(label)]
    return np.tanh(sum([labelled(p, kid) for kid in kids]) @ p.w)


LABELLED: list[Any] = [("a", [("bb", []), ("c", [("a", [])])]), ("a", [])]


CASES: list[tuple[Any, list[Any]]] = [
    (tagger, TAGGED),
    (encode, TREES),
    (two_classes, LEAVES),
    (calculate, TUPLES),
    (bracketed, BRACKETS),
    (chain, CHAINS),
    (several, SEVERAL),
    (untyped_tuples, UNTYPED),
    (linked, LINKED),
    (labelled, LABELLED),
]
