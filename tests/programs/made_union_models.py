"""Models that make objects of several plain dataclasses, or of one that contains itself: trees and
chains that only exist inside of the model."""

# Models as they are written in a hurry.
# ruff: noqa: B905, UP007, UP045
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment, union-attr, arg-type"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


@dataclass(frozen=True)
class Box:
    low: int
    high: int

    def half(self, upper: bool) -> Box:
        middle = (self.low + self.high) // 2
        return Box(middle, self.high) if upper else Box(self.low, middle)


@dataclass
class Leaf:
    box: Box
    items: list[int]


@dataclass
class Inner:
    box: Box
    children: list[Optional[Union[Leaf, Inner]]]


def build(items: list[int], box: Box, depth: int = 0) -> Leaf | Inner | None:
    if not items:
        return None
    if len(items) <= 1 or depth > 2:
        return Leaf(box, items)
    low, high = box.half(False), box.half(True)
    parts = [[i for i in items if i < low.high], [i for i in items if i >= low.high]]
    return Inner(box, [build(part, b, depth + 1) for part, b in zip(parts, [low, high])])


def encode(p, node):
    if node is None:
        return p.b
    if isinstance(node, Leaf):
        return np.mean([p.emb[i] for i in node.items], axis=0) + float(node.box.low)
    total = p.b
    for child in node.children:
        total = np.tanh(total @ p.w + encode(p, child))
    return total


@ab.model
def splits(p: P, xs: list[int]) -> Any:
    root = build(xs, Box(0, 8))
    return encode(p, root), root


@dataclass
class Cell:
    value: int
    rest: Cell | None = None


@ab.model
def stack_of_cells(p: P, xs: list[int]) -> Any:
    top = None
    for x in xs:
        top = Cell(x, top)
        if x % 3 == 0:
            top = top.rest
    total, seen = 0, top
    while seen is not None:
        total += seen.value
        seen = seen.rest
    return total, top


@dataclass
class Num:
    value: float


@dataclass
class Op:
    name: str
    left: Expr
    right: Expr


Expr = Union[Num, Op]


def value_of(e: Expr) -> float:
    match e:
        case Num(value):
            return value
        case Op("+", left, right):
            return value_of(left) + value_of(right)
        case Op(_, left, right):
            return value_of(left) * value_of(right)


@ab.model
def expressions(p: P, xs: list[int]) -> Any:
    stack: list[Expr] = []
    for x in xs:
        if x % 2 == 0 and len(stack) > 1:
            right = stack.pop()
            stack.append(Op("+" if x % 4 else "*", stack.pop(), right))
        else:
            stack.append(Num(float(x)))
    return [value_of(e) for e in stack], stack[-1], len(stack)


@dataclass
class Found:
    at: int


@dataclass
class Missing:
    tried: list[int] = field(default_factory=list)


def search(xs, wanted):
    tried = []
    for i, x in enumerate(xs):
        if x == wanted:
            return Found(i)
        tried.append(x)
    return Missing(tried)


@ab.model
def one_or_the_other(p: P, xs: list[int]) -> Any:
    one, other = search(xs, 5), search(xs, 1)
    n = one.at if isinstance(one, Found) else -len(one.tried)
    last = other if n < 0 else one
    best = None
    for x in xs:
        if x > 2:
            best = Found(x)
    return n, last, best.at if best is not None else 0, {"a": one, "b": Missing()}


@dataclass
class State:
    h: Any
    n: int = 0

    def step(self, x):
        self.h = ops.tanh(self.h + x)
        self.n += 1


@ab.model
def beside_records(p: P, xs: list[int]) -> Any:
    state, top = State(p.b), None
    for x in xs:
        state.step(p.emb[x])
        top = Cell(state.n, top) if x > 1 else top
    return state.h, state.n, top


@dataclass
class Account:
    total: int
    log: list[int] = field(default_factory=list)


@ab.model
def changed_then_given_away(p: P, xs: list[int]) -> Any:
    found: list[Account | Missing] = []
    for x in xs:
        account = Account(x)
        account.total += 1
        account.log.append(x)
        found.append(account if x > 2 else Missing([x]))
    sums = [a.total if isinstance(a, Account) else 0 for a in found]
    return sums, found


def longest(node: Leaf | Inner | None) -> int:
    if node is None:
        return 0
    return len(node.items) if isinstance(node, Leaf) else max(longest(c) for c in node.children)


@ab.model
def shared_children(p: P, xs: list[int]) -> Any:
    leaf = Leaf(Box(0, 1), xs)
    both = Inner(Box(0, 2), [leaf, leaf, None])
    nodes = [leaf, both, Inner(leaf.box, [both, *both.children])]
    return [longest(n) for n in nodes], nodes


MODELS = (
    splits, stack_of_cells, expressions, one_or_the_other, beside_records, changed_then_given_away,
    shared_children,
)  # fmt: skip
