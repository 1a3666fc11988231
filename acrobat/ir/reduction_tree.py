"""Reductions of lists as trees of wide nodes.

A chain of n - 1 additions takes as many depths, a tree of nodes with eight operands log8(n):

    list of n       ceil(n / 8) nodes       ceil(n / 64) nodes      ...     one value

The last node of a level is padded with identity operands. The shape of a tree depends on the length
of the list alone, so the bits of a result do not depend on the mini-batch. A list of one item takes
a node, too, so that the instances of a mini-batch stay in step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import typed as T
from .span import Span
from .types import BOOL, INT, ListType, TensorType, Type

WIDTH = 8

_ZERO, _ONE = T.Const(0, INT), T.Const(1, INT)

# The tensors that one node computes from WIDTH items, each a tuple of tensors.
Combine = Callable[["Statements", Sequence[tuple[T.Atom, ...]]], tuple[T.Atom, ...]]


@dataclass(slots=True)
class Statements:
    """A region that is being written, all of it at one place of the source."""

    span: Span
    stmts: list[T.Stmt]

    def let(self, rhs: T.Rhs, t: Type, name: str) -> T.Var:
        """A new variable for the value of `rhs`."""
        out = T.Var(name, t)
        self.stmts.append(T.Let((out,), rhs, self.span))
        return out

    def number(self, op: str, *args: T.Atom) -> T.Var:
        """Arithmetic on ints."""
        return self.let(T.Scalar(op, args), INT, "n")

    def op(self, name: str, args: Sequence[T.Atom], t: TensorType) -> T.Var:
        """An operation on tensors, whose result is a `t`."""
        return self.let(T.Op(name, tuple(args)), t, name)

    def list(self, op: str, args: Sequence[T.Atom], t: Type) -> T.Var:
        """An operation on lists."""
        return self.let(T.ListOp(op, tuple(args)), t, "items")

    def inner(self) -> Statements:
        """A region of its own at the same place."""
        return Statements(self.span, [])


@dataclass(frozen=True, slots=True)
class Tree:
    """How lists of equal length, at least one item long, become one item each.

    `combine` makes a node, `fill` the identity operands that pad it, from the lists' last items.
    """

    combine: Combine
    fill: Callable[[Statements, tuple[T.Atom, ...]], tuple[T.Atom, ...]]

    def reduce(
        self, to: Statements, lists: Sequence[T.Var], outs: Sequence[T.Var] = ()
    ) -> tuple[T.Var, ...]:
        """Write the statements that reduce `lists` to `to`, and return the one item left of each
        list: the variables `outs`, if they are given."""
        more, carried = T.Var("more", BOOL), [T.Var(v.name, v.type) for v in lists]
        body = to.inner()
        level = self._level(body, carried)
        length = body.list("len", level[:1], INT)
        again = body.let(T.Scalar(">", (length, _ONE)), BOOL, "again")
        left = tuple(T.Var(v.name, v.type) for v in lists)
        to.stmts.append(
            T.While(
                (T.Var("more", BOOL), *left),
                T.Region((), T.Yield((more,))),
                (more, *carried),
                (T.Const(True, BOOL), *lists),
                T.Region(tuple(body.stmts), T.Yield((again, *level))),
                to.span,
            )
        )
        outs = outs or tuple(T.Var(v.name, _item(v)) for v in left)
        for out, items in zip(outs, left, strict=True):
            to.stmts.append(T.Let((out,), T.ListOp("get", (items, _ZERO)), to.span))
        return tuple(outs)

    def _level(self, to: Statements, lists: Sequence[T.Var]) -> Sequence[T.Var]:
        """The next level of the tree: lists of one item for every WIDTH in `lists`."""
        length = to.list("len", lists[:1], INT)
        last = tuple(to.list("get", (v, T.Const(-1, INT)), _item(v)) for v in lists)
        padded = list(zip(lists, self.fill(to, last), strict=True))
        wide = T.Const(WIDTH, INT)
        count = to.number("//", to.number("+", length, T.Const(WIDTH - 1, INT)), wide)
        index, body = T.Var("i", INT), to.inner()
        first = body.number("*", index, wide)
        places = [first, *(body.number("+", first, T.Const(k, INT)) for k in range(1, WIDTH))]
        items = [
            tuple(body.list("get_or", (v, at, filler), _item(v)) for v, filler in padded)
            for at in places
        ]
        values = self.combine(body, items)
        outs = tuple(T.Var(v.name, v.type) for v in lists)
        region = T.Region(tuple(body.stmts), T.Yield(values))
        to.stmts.append(T.Map(outs, index, count, region, False, to.span))
        return outs


def folds(operations: Sequence[str]) -> Tree:
    """A tree that combines the items of each list, element by element, with the list's own one of
    the operations `add`, `maximum`, `minimum`."""

    def combine(to: Statements, items: Sequence[tuple[T.Atom, ...]]) -> tuple[T.Atom, ...]:
        return tuple(
            balanced(to, op, values) for op, *values in zip(operations, *items, strict=True)
        )

    def fill(to: Statements, last: tuple[T.Atom, ...]) -> tuple[T.Atom, ...]:
        return tuple(
            zeros(to, v.type) if op == "add" else v for op, v in zip(operations, last, strict=True)
        )

    return Tree(combine, fill)


def balanced(to: Statements, op: str, values: Sequence[T.Atom]) -> T.Atom:
    """`values`, all of one type, joined by a point-wise operation, neighbours first."""
    level = list(values)
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [to.op(op, p, _tensor(p[0])) if len(p) == 2 else p[0] for p in pairs]
    return level[0]


def zeros(to: Statements, t: Type) -> T.Var:
    """A tensor of zeros of type `t`."""
    assert isinstance(t, TensorType)
    shape = tuple(d if d.known is None else d.known for d in t.dims)
    return to.let(T.Op("zeros", (), (("shape", shape),)), t, "zeros")


def _item(items: T.Var) -> Type:
    assert isinstance(items.type, ListType)
    return items.type.item


def _tensor(value: T.Atom) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type
