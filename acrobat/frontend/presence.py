"""Values that may be None by their type, used where None is an error in plain Python: such an
instance is at fault if the value is None. `narrowing` knows what tests say before."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import BOOL, OptionalType, Type, UnionType
from .context import FunctionContext
from .pattern_tree import of_members
from .scope import Env


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


def not_none(
    ctx: FunctionContext,
    node: ast.AST,
    value: T.Atom,
    env: Env | None = None,
    fault: str | None = None,
) -> T.Atom:
    """`value`, without None if its type is an optional number, string, tensor, list or the like;
    any other value as it is. A local name, if its bindings `env` are given, is not tested again.
    `fault` is as in `present`."""
    if not isinstance(value.type, OptionalType) or not isinstance(value, T.Var):
        return value
    there = ctx.let(T.GetItem(value, 0), BOOL, node, "there")
    missing = T.Region((), T.Raise((fault or f"TypeError: {ast.unparse(node)} is None",), ()))
    ctx.stmts.append(T.If((), there, T.Region((), T.Yield(())), missing, ctx.span(node)))
    found = ctx.let(T.GetItem(value, 1), value.type.item, node, value.name)
    if value.number in ctx.origins:
        ctx.origins[found.number] = ctx.origins[value.number]
    if env is not None and isinstance(node, ast.Name) and env.names.get(node.id) is value:
        env.names[node.id] = found
    return found
