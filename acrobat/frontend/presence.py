"""Data that may be None by its type, used where only data can be: the instance is at fault if it is
None, as it would be in plain Python. `narrowing` knows what tests say before."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import BOOL, Type, UnionType
from .context import FunctionContext
from .pattern_tree import of_members


def without_none(t: Type) -> Type | None:
    """The type of the values of `t` but None; None if that is none of `t`, or no data."""
    if not isinstance(t, UnionType) or "None" not in t.members:
        return None
    return of_members(tuple(m for m in t.members if m != "None"))


def present(ctx: FunctionContext, node: ast.AST, value: T.Atom, fault: str) -> T.Var:
    """`value`, of such a type, which is not None; `fault` says what is wrong with an instance whose
    value is None."""
    t = without_none(value.type)
    assert t is not None
    missing = ctx.let(T.Scalar("is_none", (value,)), BOOL, node, "b")
    regions = T.Region((), T.Raise((fault,), ())), T.Region((), T.Yield(()))
    ctx.stmts.append(T.If((), missing, *regions, ctx.span(node)))
    assert isinstance(value, T.Var)
    found = ctx.let(T.Narrow(value), t, node, value.name)
    if value.number in ctx.origins:
        ctx.origins[found.number] = ctx.origins[value.number]
    return found
