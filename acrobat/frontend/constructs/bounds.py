"""Bounds of slices: `a` and `b` of `xs[a:b]`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.type_queries import optional_of
from ...ir.types import BOOL, INT, NONE
from ..context import FunctionContext
from ..emit import ZERO, int_op
from ..optional import content, is_there
from ..scope import Env


def slice_bound(
    ctx: FunctionContext, part: ast.expr, env: Env, without: T.Atom | None = None
) -> T.Atom:
    """A bound of a slice, an int; where it is None, the bound is `without`, if that is given."""
    bound = ctx.expression(part, env)
    if bound.type == BOOL:
        return int_op(ctx, "int", (bound,), part)
    if without is not None:
        if bound.type == NONE:
            return without
        if bound.type == optional_of(INT) and isinstance(bound, T.Var):
            return _or(ctx, part, bound, without)
    if bound.type != INT:
        ctx.fail("AC017", part, f"a bound of a slice is an int, this is {bound.type}", "an int")
    return bound


def _or(ctx: FunctionContext, node: ast.AST, bound: T.Var, without: T.Atom) -> T.Var:
    with ctx.region() as stmts:
        given = content(ctx, bound, node)
    regions = T.Region(tuple(stmts), T.Yield((given,))), T.Region((), T.Yield((without,)))
    out = T.Var(bound.name, INT)
    ctx.stmts.append(T.If((out,), is_there(ctx, bound, node), *regions, ctx.span(node)))
    return out


def clamped(ctx: FunctionContext, node: ast.AST, bound: T.Atom, length: T.Atom) -> T.Var:
    """The index from 0 to `length` that Python takes a bound for: a negative one counts from the
    end."""
    below = int_op(ctx, "int", (ctx.let(T.Scalar("<", (bound, ZERO)), BOOL, node, "b"),), node)
    from_front = int_op(ctx, "+", (bound, int_op(ctx, "*", (below, length), node)), node)
    return int_op(ctx, "min", (int_op(ctx, "max", (from_front, ZERO), node), length), node)
