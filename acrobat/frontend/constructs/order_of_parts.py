"""Parts of tuples that decide which is smaller, and have no order."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, TupleType
from ..context import FunctionContext
from ..decisions import of_rank_0, read_number
from .equality import equal


def check_order(
    ctx: FunctionContext, node: ast.AST, a: T.Var, b: T.Var, parts: tuple[int, ...]
) -> None:
    """A fault if all parts but the last are equal, which has no order: `(n, next(ids), node)`."""
    assert isinstance(a.type, TupleType) and isinstance(b.type, TupleType)
    *before, last = parts
    same: T.Atom = T.Const(True, BOOL)
    for i in before:
        x, y = (ctx.let(T.GetItem(t, i), t.type.items[i], node, "part") for t in (a, b))  # type: ignore[union-attr]
        x, y = (read_number(ctx, v, node) if of_rank_0(v) else v for v in (x, y))
        one = equal(ctx, node, x, y)
        assert one is not None
        same = (
            one
            if isinstance(same, T.Const)
            else ctx.let(T.Scalar("and", (same, one)), BOOL, node, "b")
        )
    fault = f"TypeError: tuples that differ in a {a.type.items[last]} alone, which has no order"
    regions = T.Region((), T.Raise((fault,), ())), T.Region((), T.Yield(()))
    ctx.stmts.append(T.If((), same, *regions, ctx.span(node)))
