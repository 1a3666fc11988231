"""Models over the objects of an abstract class, or of one without fields: its dataclasses."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, arg-type, return-value, attr-defined"
# mypy: disable-error-code="return"

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import acrobat as ab
from tests.programs.listed_object_models import P


class Tree(ABC):
    @abstractmethod
    def encode(self, p: P) -> Any: ...

    def depth(self) -> int:
        return 1 + max((c.depth() for c in self.children()), default=0)

    def children(self):
        return []


@dataclass
class Word(Tree):
    index: int

    def encode(self, p):
        return p.emb[self.index]


@dataclass
class Phrase(Tree):
    kids: list[Tree] = field(default_factory=list)
    KIND = 0

    def children(self):
        return self.kids

    def encode(self, p):
        return np.tanh(p.b * self.KIND + sum((k.encode(p) for k in self.kids), np.zeros(4)) @ p.w)


@dataclass
class Coordination(Phrase):
    KIND = 1

    def encode(self, p):
        return super().encode(p) - p.b


@dataclass
class Negation(Tree):
    body: Tree
    note: Tree | None = None

    def children(self):
        return [self.body]

    def encode(self, p):
        return -self.body.encode(p)


class Expr:
    pass


@dataclass
class Num(Expr):
    value: int


@dataclass
class Add(Expr):
    left: Expr
    right: Expr


@dataclass
class Neg(Expr):
    of: Expr


def _tree(xs: list[int]) -> Tree:
    if len(xs) == 1:
        return Word(xs[0])
    if len(xs) == 2:
        return Negation(_tree(xs[:1]), Word(xs[1]) if xs[1] > 2 else None)
    kids = [_tree(xs[:1]), _tree(xs[1:]), Word(xs[-1])]
    return Coordination(kids) if xs[0] % 2 else Phrase(kids)


def _expr(xs: list[int]) -> Expr:
    if len(xs) == 1:
        return Num(xs[0])
    return Add(_expr(xs[:1]), _expr(xs[1:])) if xs[0] % 3 else Neg(_expr(xs[1:]))


LISTS = [[1, 2, 3], [5], [4, 5, 6], [1, 1, 0, 7, 2, 0], [0, 1, 3, 1, 8, 0]]
TREES = [_tree(xs) for xs in LISTS]
EXPRS = [_expr(xs) for xs in LISTS]


@ab.model
def classified(p: P, tree: Tree):
    return tree.encode(p) @ p.w, tree.depth()


@ab.model
def by_class(p: P, tree: Tree) -> int:
    if isinstance(tree, Phrase):
        return sum(by_class(p, k) for k in tree.kids) * (2 if isinstance(tree, Coordination) else 1)
    if isinstance(tree, Negation):
        return -by_class(p, tree.body) + (0 if tree.note is None else by_class(p, tree.note))
    return tree.index if isinstance(tree, Word) else 0


@ab.model
def evaluated(p: P, e: Expr) -> int:
    match e:
        case Num(v):
            return v
        case Add(a, b):
            return evaluated(p, a) + evaluated(p, b)
        case Neg(of):
            return -evaluated(p, of)


@ab.model
def helped(p: P, e: Expr) -> Any:
    def size(e: Expr) -> int:
        if isinstance(e, Add):
            return 1 + size(e.left) + size(e.right)
        return 1 if isinstance(e, Num) else 1 + size(e.of)

    def leaves(e: Expr) -> list[int]:
        match e:
            case Add(left, right):
                return leaves(left) + leaves(right)
            case Neg(of):
                return leaves(of)
        return [e.value]

    return size(e), leaves(e), np.tanh(p.emb[leaves(e)[0]])


OF_TREES = [classified, by_class]
OF_EXPRS = [evaluated, helped]
