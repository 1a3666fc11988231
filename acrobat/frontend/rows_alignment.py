"""Which items are combined in point-wise operations on tensors whose size only the instance knows:
as in numpy's broadcasting, a single item is repeated for all items of the others.

Nothing is copied: a repeated item is read again. The sizes of tensors that are known to be equally
long are not compared.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.types import BOOL, INT
from .context import FunctionContext
from .emit import ONE, int_op
from .rows import count, facts, refuse_sizes


@dataclass(frozen=True, slots=True)
class Alignment:
    """`stop`: how many items there will be. `last`: the place of the last item of each operand, or
    None if all are equally long. `like`: a list of `stop` items, if there is one yet."""

    stop: T.Var
    last: tuple[T.Var, ...] | None
    like: T.Var | None

    def place(self, ctx: FunctionContext, node: ast.AST, operand: int, item: T.Atom) -> T.Atom:
        """Which item of an operand goes with `item` of the result."""
        if self.last is None:
            return item
        return int_op(ctx, "min", (item, self.last[operand]), node)


def align(ctx: FunctionContext, node: ast.AST, sources: Sequence[T.Atom]) -> Alignment:
    """The alignment of `sources`. The instance is at fault if two of them have different numbers of
    items, and neither has one."""
    like = facts(ctx, sources[0]).like
    if all(facts(ctx, s).like == like for s in sources):
        return Alignment(count(ctx, node, sources[0]), None, like)
    counts = [count(ctx, node, s) for s in sources]
    stop = counts[0]
    for n in counts[1:]:
        stop = _common(ctx, node, stop, n)
    last = tuple(int_op(ctx, "-", (n, ONE), node) for n in counts)
    return Alignment(stop, last, None)


def _common(ctx: FunctionContext, node: ast.AST, m: T.Var, n: T.Var) -> T.Var:
    """The number of items to which m and n items are broadcast."""
    alone = ctx.let(T.Scalar("==", (m, ONE)), BOOL, node, "alone")
    stop = ctx.computed("n", INT, node)
    then, orelse = T.Region((), T.Yield((n,))), T.Region((), T.Yield((m,)))
    ctx.stmts.append(T.If((stop,), alone, then, orelse, ctx.span(node)))
    several = ctx.let(T.Scalar("!=", (n, ONE)), BOOL, node, "several")
    differ = ctx.let(T.Scalar("!=", (n, stop)), BOOL, node, "differ")
    wrong = ctx.let(T.Scalar("and", (several, differ)), BOOL, node, "wrong")
    refuse_sizes(ctx, node, wrong, m, n)
    return stop
