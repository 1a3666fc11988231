"""Comparisons of sets: `a == b`, `a <= b`, `a < b`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL
from ..context import FunctionContext
from ..dict_lists import lists_of
from ..emit import length
from .sets import all_in


def compared_sets(ctx: FunctionContext, node: ast.AST, op: str, a: T.Atom, b: T.Atom) -> T.Var:
    """`a <= b` and the like, for `op` of `== <= < >= >`."""
    if op in (">", ">="):
        return compared_sets(ctx, node, op.replace(">", "<"), b, a)
    inside = all_in(ctx, node, a, b)
    if op == "<=":
        return ctx.let(T.Scalar("and", (inside, T.Const(True, BOOL))), BOOL, node, "b")
    sizes = tuple(length(ctx, lists_of(ctx, x, node)[0], node) for x in (a, b))
    fits = ctx.let(T.Scalar("==" if op == "==" else "<", sizes), BOOL, node, "b")
    return ctx.let(T.Scalar("and", (inside, fits)), BOOL, node, "b")
