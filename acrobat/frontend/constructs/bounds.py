"""Bounds of slices: `a` and `b` of `xs[a:b]`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, INT
from ..context import FunctionContext
from ..emit import ZERO, int_op
from ..scope import Env


def slice_bound(ctx: FunctionContext, part: ast.expr, env: Env) -> T.Atom:
    """A bound of a slice, an int."""
    bound = ctx.expression(part, env)
    if bound.type != INT:
        ctx.fail("AC017", part, f"a bound of a slice is an int, this is {bound.type}", "an int")
    return bound


def clamped(ctx: FunctionContext, node: ast.AST, bound: T.Atom, length: T.Atom) -> T.Var:
    """The index from 0 to `length` that Python takes a bound for: a negative one counts from the
    end."""
    below = int_op(ctx, "int", (ctx.let(T.Scalar("<", (bound, ZERO)), BOOL, node, "b"),), node)
    from_front = int_op(ctx, "+", (bound, int_op(ctx, "*", (below, length), node)), node)
    return int_op(ctx, "min", (int_op(ctx, "max", (from_front, ZERO), node), length), node)
