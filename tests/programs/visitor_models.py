"""Visitors, whose methods are found by the name of a node's class; classes without fields, and
abstract ones; hints that are protocols and type variables."""

# Models as they are written in a hurry.
# ruff: noqa: N802, RET504, UP031
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated"
# mypy: disable-error-code="type-arg"

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.listed_object_models import P

T = TypeVar("T")


@dataclass
class Num:
    value: int


@dataclass
class Long:
    value: int
    size: int = 2


@dataclass
class Bin:
    op: str
    left: Num | Long | Bin
    right: Num | Long | Bin


def tree(xs):
    if not xs:
        return Num(1)
    leaf = Long(xs[-1]) if xs[-1] > 4 else Num(xs[-1])
    return Bin("+" if xs[-1] % 2 else "*", tree(xs[:-1]), leaf)


class Evaluator:
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)

    def visit_Num(self, node):
        return node.value

    def visit_Long(self, node):
        return node.value * 10**node.size

    def visit_Bin(self, node):
        left, right = self.visit(node.left), self.visit(node.right)
        return left + right if node.op == "+" else left * right


class Named(Evaluator):
    def visit(self, node):
        name = f"on_{type(node).__name__.lower()}"
        method = getattr(self, name, self.other)
        return method(node)

    def other(self, node):
        return 3

    def on_bin(self, node):
        return self.visit(node.left) + 2 * self.visit(node.right)


class Weighted:
    def visit(self, node, by=1):
        visitor = getattr(self, "visit_%s" % node.__class__.__name__, lambda n, by: 7 * by)
        total = visitor(node, by=by + 1)
        return total

    def visit_Bin(self, node, by):
        return self.visit(node.left, by) + self.visit(node.right)


class Encoder:
    def __init__(self, p):
        self.p = p

    def visit(self, node):
        encode = getattr(self, "encode_" + type(node).__name__)
        h = encode(node)
        return ops.tanh(h @ self.p.w)

    def encode_Num(self, node):
        return self.p.emb[node.value]

    def encode_Long(self, node):
        return self.p.emb[node.value] * node.size

    def encode_Bin(self, node):
        return self.visit(node.left) + self.visit(node.right)


@ab.model
def evaluated(p: P, xs: list[int]) -> int:
    return Evaluator().visit(tree(xs))


@ab.model
def with_a_default(p: P, xs: list[int]) -> Any:
    return Named().visit(tree(xs)), Weighted().visit(tree(xs)), [Named().visit(Num(x)) for x in xs]


@ab.model
def encoded(p: P, xs: list[int]) -> Float32[Tensor, "H"]:
    return Encoder(p).visit(tree(xs))


class Rule(abc.ABC):
    scale = 2

    @abc.abstractmethod
    def act(self, x): ...

    def scaled(self, x):
        return self.act(x) * self.scale


class Inc(Rule):
    def act(self, x):
        return x + 1


class Power(Rule):
    scale = 3

    def __init__(self, n):
        self.n = n

    def act(self, x):
        return x**self.n


class Acts(Protocol):
    def act(self, x: int) -> int: ...


@dataclass
class Empty:
    pass


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, x: T) -> None:
        self.items.append(x)


def acted(rule: Acts, x: int) -> int:
    return rule.act(x)


def scaled(rule: Rule, x: int) -> int:
    return rule.scaled(x)


@ab.model
def rules(p: P, xs: list[int]) -> Any:
    inc, power = Inc(), Power(2)
    stack: Stack[int] = Stack()
    for x in xs:
        stack.push(acted(inc, x) + acted(power, x) + scaled(inc, x) + scaled(power, x))
    return stack.items


@ab.model
def without_fields(p: P, xs: list[int]) -> Any:
    made = [Inc() for _ in xs]
    more = made + [Inc()] * 2
    last = None
    for x in xs:
        if x > 2:
            last = Inc()
    n = 0
    while more:
        n += more.pop().scaled(1)
    few = [Empty() for _ in xs]
    return n, len(made), 0 if last is None else last.act(1), few, Empty() == Empty()


MODELS = (evaluated, with_a_default, encoded, rules, without_fields)
