"""Reductions of lists as trees of wide nodes.

A chain of n - 1 additions takes as many depths, a tree of nodes with eight operands log8(n):

    list of n       ceil(n / 8) nodes       ...     at most 8 items     one value

The last node of a level is padded with identity operands, and so are the last eight items. These
are joined where the reduction stands, so that the node that needs the value joins them itself: a
list of up to eight items takes no node of its own, and instances whose lists are that short stay in
step. The shape of a tree depends on the length of the list alone, so the bits of a result do not
depend on the mini-batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import typed as T
from .span import Span
from .types import BOOL, INT, ListType, TensorType, Type

WIDTH = 8

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
    """How lists of equal length become one item each.

    `combine` joins items, `fill` makes the identity operands that pad them, from the lists.
    """

    combine: Combine
    fill: Callable[[Statements, Sequence[T.Var]], tuple[T.Atom, ...]]

    def reduce(self, to: Statements, lists: Sequence[T.Var]) -> tuple[T.Atom, ...]:
        """Write the statements that reduce `lists` to `to`, and return the one item left of each
        list."""
        return self.combine(to, self.last_items(to, lists))

    def last_items(self, to: Statements, lists: Sequence[T.Var]) -> list[tuple[T.Atom, ...]]:
        """Write the statements that reduce `lists` to WIDTH items, and return these."""
        fillers = self.fill(to, lists)
        carried = [T.Var(v.name, v.type) for v in lists]
        cond, body = to.inner(), to.inner()
        length = cond.list("len", carried[:1], INT)
        more = cond.let(T.Scalar(">", (length, T.Const(WIDTH, INT))), BOOL, "more")
        level = self._level(body, carried, fillers)
        left = tuple(T.Var(v.name, v.type) for v in lists)
        to.stmts.append(
            T.While(
                left,
                T.Region(tuple(cond.stmts), T.Yield((more,))),
                tuple(carried),
                tuple(lists),
                T.Region(tuple(body.stmts), T.Yield(tuple(level))),
                to.span,
            )
        )
        return [_items(to, left, T.Const(k, INT), fillers) for k in range(WIDTH)]

    def _level(
        self, to: Statements, lists: Sequence[T.Var], fillers: Sequence[T.Atom]
    ) -> Sequence[T.Var]:
        """The next level of the tree: lists of one item for every WIDTH in `lists`."""
        length = to.list("len", lists[:1], INT)
        wide = T.Const(WIDTH, INT)
        count = to.number("//", to.number("+", length, T.Const(WIDTH - 1, INT)), wide)
        index, body = T.Var("i", INT), to.inner()
        first = body.number("*", index, wide)
        places = [first, *(body.number("+", first, T.Const(k, INT)) for k in range(1, WIDTH))]
        values = self.combine(body, [_items(body, lists, at, fillers) for at in places])
        outs = tuple(T.Var(v.name, v.type) for v in lists)
        region = T.Region(tuple(body.stmts), T.Yield(values))
        to.stmts.append(T.Map(outs, index, count, region, False, to.span))
        return outs


def _items(
    to: Statements, lists: Sequence[T.Var], at: T.Atom, fillers: Sequence[T.Atom]
) -> tuple[T.Atom, ...]:
    """The items of `lists` at a place, or past their ends `fillers`."""
    pairs = zip(lists, fillers, strict=True)
    return tuple(to.list("get_or", (v, at, filler), _item(v)) for v, filler in pairs)


def folds(operations: Sequence[str], fillers: Sequence[T.Atom] | None = None) -> Tree:
    """A tree that combines the items of each list, element by element, with the list's own one of
    the operations `add`, `maximum`, `minimum`. `fillers`: operands that change nothing, if not
    zeros to add, or the list's last item."""

    def combine(to: Statements, items: Sequence[tuple[T.Atom, ...]]) -> tuple[T.Atom, ...]:
        return tuple(
            balanced(to, op, values) for op, *values in zip(operations, *items, strict=True)
        )

    def fill(to: Statements, lists: Sequence[T.Var]) -> tuple[T.Atom, ...]:
        if fillers is not None:
            return tuple(fillers)
        return tuple(
            zeros(to, _item(v)) if op == "add" else last_of(to, v)
            for op, v in zip(operations, lists, strict=True)
        )

    return Tree(combine, fill)


def balanced(to: Statements, op: str, values: Sequence[T.Atom], out: T.Var | None = None) -> T.Atom:
    """`values`, all of one type, joined by a point-wise operation, neighbours first; in the
    variable `out` if it is given."""
    level = list(values)
    while len(level) > 2:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [to.op(op, p, _tensor(p[0])) if len(p) == 2 else p[0] for p in pairs]
    if len(level) == 2:
        made = out or T.Var(op, _tensor(level[0]))
        to.stmts.append(T.Let((made,), T.Op(op, tuple(level)), to.span))
        return made
    assert out is None
    return level[0]


def last_of(to: Statements, items: T.Var) -> T.Var:
    """The last item of a list, which must not be empty."""
    return to.list("get", (items, T.Const(-1, INT)), _item(items))


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
