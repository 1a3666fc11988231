"""Models whose `match` leaves values without a case, or is followed by what is never reached."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


@dataclass
class Leaf:
    k: int


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


@ab.model
def guarded(p: P, xs: list[int]) -> Any:
    def encode(t):
        match t:
            case Leaf(k):
                return p.emb[k]
            case Node(a, b):
                return np.tanh(encode(a) @ p.w + encode(b))
        raise TypeError(f"what is this: {t}")

    tree = Leaf(xs[0])
    for x in xs:
        tree = Node(tree, Leaf(x))
    return encode(tree)


@ab.model
def never(p: P, xs: list[int]) -> Any:
    def weight(t):
        if isinstance(t, Leaf):
            return t.k
        elif isinstance(t, Node):
            return weight(t.left) + weight(t.right)
        else:
            assert_never(t)

    return weight(Node(Leaf(xs[0]), Node(Leaf(xs[-1]), Leaf(1))))


@ab.model
def a_default_behind(p: P, xs: list[int]) -> Any:
    def kind(n):
        match n:
            case 1:
                return "one"
            case 2:
                return "two"
        return "many"

    return [kind(x) for x in xs]


@ab.model
def in_a_loop(p: P, xs: list[int]) -> Any:
    a = b = 0
    for x in xs:
        match x:
            case 1:
                a += 1
            case 2 | 3:
                b += x
    return a, b


@ab.model
def one_after_the_other(p: P, xs: list[int]) -> Any:
    h = p.b
    match len(xs):
        case 1:
            h = h * 2
        case 3:
            h = h @ p.w
    match xs:
        case [1, *_]:
            h = h + 1
    if xs[0] > 3:
        match xs[0]:
            case 4:
                h = h * 3.0
    return h


@ab.model
def without_a_result(p: P, xs: list[int]) -> Any:
    out = []

    def add(n):
        match n:
            case 1:
                out.append(10)
            case 5:
                out.append(50)

    for x in xs:
        add(x)
    return out


@ab.model
def decided(p: P, xs: list[int]) -> Any:
    h = p.b
    for x in xs:
        match (bool(h[0] > 0), x % 2):
            case (True, 0):
                h = np.tanh(h @ p.w + p.emb[x])
            case (False, _):
                h = h + p.emb[x]
    return h


@ab.model
def names_of_classes(p: P, xs: list[int]) -> Any:
    kinds = ("Node", "Leaf")

    def encode(t):
        h = p.emb[kinds.index(type(t).__name__)]
        if type(t) is not Leaf:
            h = h @ p.w + encode(t.left) - encode(t.right)
        if t.__class__.__name__ == "Leaf":
            h = h * float(t.k)
        return np.tanh(h)

    tree = Node(Leaf(1), Leaf(2))
    return encode(tree)


MODELS = (
    names_of_classes,
    guarded, never, a_default_behind, in_a_loop, one_after_the_other, without_a_result, decided,
)  # fmt: skip
