"""Models whose cases rely on what an earlier case has taken out: a field that is not None."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, union-attr, operator, return-value"
# mypy: disable-error-code="arg-type, list-item"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


@dataclass
class Num:
    k: int


@dataclass
class Name:
    k: int


@dataclass
class Cond:
    test: Expr
    then: Expr
    orelse: Expr | None = None


@dataclass
class Let:
    value: int | None
    body: Expr
    label: str | None = None


Expr = Num | Name | Cond | Let


def _tree(xs: list[int]) -> Expr:
    t: Expr = Num(xs[0]) if xs[0] != 5 else Name(5)
    for x in xs:
        if x % 3 == 0:
            t = Cond(t, Num(x))
        elif x % 3 == 1:
            t = Cond(Num(x), t, Num(x + 1))
        else:
            t = Let(x if x > 4 else None, t, None if x > 6 else "l")
    return t


TREES = [_tree(xs) for xs in ([1, 2, 3], [5], [4, 5, 6], [1, 1, 0, 7, 2, 0], [2, 5, 8, 8, 1])]


def children(node: Expr) -> list[Expr]:
    match node:
        case Cond(test, then, None):
            return [test, then]
        case Cond(test, then, orelse):
            return [test, then, orelse]
        case Let(_, body):
            return [body]
    return []


@ab.model
def of_children(p: P, node: Expr) -> Any:
    found = p.b if not isinstance(node, Num | Name) else p.emb[node.k % 9]
    for child in children(node):
        found = found + p.w @ of_children(p, child)
    return np.tanh(found)


@ab.model
def numbers(p: P, node: Expr) -> int:
    match node:
        case Num(k) | Name(k):
            return k
        case Let(None, body, _):
            return numbers(p, body)
        case Let(value, body, None):
            return value + numbers(p, body)
        case Let(value, body, label):
            return value * numbers(p, body) + len(label)
        case Cond(test, then, None):
            return numbers(p, test) + numbers(p, then)
        case Cond(test, Num(k), orelse):
            return k * numbers(p, test) + numbers(p, orelse)
        case Cond(test, then, orelse):
            return numbers(p, test) - numbers(p, then) + numbers(p, orelse)


@ab.model
def of_two(p: P, node: Expr) -> Any:
    def both(a: int | None, b: int | None) -> int:
        match a, b:
            case None, None:
                return 0
            case None, y:
                return 0 if y is None else y
            case x, None:
                return x
            case x, y:
                return x * (y or 1)

    def either(a: int | None, b: int) -> int:
        match (a, b):
            case (None, y):
                return y
            case (x, y):
                return x * y

    a = node.value if isinstance(node, Let) else None
    c = node.k if isinstance(node, Num) else None
    return both(a, c), both(c, a), both(3, a), both(a, 2), either(a, 4), either(c, 5)


@ab.model
def guarded(p: P, node: Expr) -> int:
    match node:
        case Let(None, _) if isinstance(node.body, Num):
            return -1
        case Let(value, _):
            return 5 if value is None else value + 1
        case Cond(_, _, Num(k)):
            return k
        case Cond(_, _, orelse):
            return 7 if orelse is None else 8
    return 0


MODELS = [of_children, numbers, of_two, guarded]
