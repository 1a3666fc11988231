"""`a == b` of two values that may be None."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import BOOL, OptionalType
from ..context import FunctionContext

Equal = Callable[[FunctionContext, ast.AST, T.Atom, T.Atom], T.Var | None]


def equal_or_missing(
    ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom, equal: Equal
) -> T.Var | None:
    """Whether two objects that may be None are equal, or both are None."""
    assert isinstance(a, T.Var) and isinstance(b, T.Var)
    assert isinstance(a.type, OptionalType) and isinstance(b.type, OptionalType)
    types = (a.type.item, b.type.item)
    there = [ctx.let(T.GetItem(x, 0), BOOL, node, "there") for x in (a, b)]
    x, y = (ctx.let(T.GetItem(v, 1), t, node, "value") for v, t in zip((a, b), types, strict=True))
    same = equal(ctx, node, x, y)
    if same is None:
        return None
    alike = ctx.let(T.Scalar("==", tuple(there)), BOOL, node, "b")
    missing = ctx.let(T.Scalar("not", (there[0],)), BOOL, node, "b")
    either = ctx.let(T.Scalar("or", (missing, same)), BOOL, node, "b")
    return ctx.let(T.Scalar("and", (alike, either)), BOOL, node, "b")
