"""What a test on None tells about a value, where the test holds and where it does not."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import NONE, DataRef, Type, UnionType
from .context import FunctionContext
from .scope import Env
from .syntax import names_in


def has_none(t: Type) -> bool:
    """Whether None is a value of `t`."""
    return t == NONE or (isinstance(t, UnionType) and "None" in t.members)


def narrow(
    ctx: FunctionContext, test: ast.expr, holds: bool, env: Env, among: set[str] | None = None
) -> tuple[T.Stmt, ...]:
    """What is known where `test` holds (or does not): a test on None binds a name, or a field of a
    name, to the same value at a narrower type. `among`: only of these names."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return narrow(ctx, operand, not holds, env, among)
        case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
            return tuple(s for v in values for s in narrow(ctx, v, holds, env, among))
        case ast.Compare(
            ast.Name() | ast.Attribute() as left,
            [ast.Is() | ast.IsNot() as op],
            [ast.Constant(None)],
        ) if among is None or names_in(left) & among:
            return _narrowed(ctx, test, left, isinstance(op, ast.Is) == holds, env)
    return ()


def _narrowed(
    ctx: FunctionContext, test: ast.AST, left: ast.Name | ast.Attribute, none: bool, env: Env
) -> tuple[T.Stmt, ...]:
    """`left` is None, or is not."""
    owner: T.Atom | None = None
    with ctx.region() as stmts:
        if isinstance(left, ast.Attribute):
            owner = ctx.expression(left.value, env)
        value = ctx.expression(left, env)
        if not isinstance(value, T.Var) or not isinstance(value.type, UnionType):
            return ()
        rest = tuple(m for m in value.type.members if m != "None")
        if "None" not in value.type.members or not rest:
            return ()
        members = ("None",) if none else rest
        t: Type = DataRef(members[0]) if len(members) == 1 else UnionType(members)
        out = T.Var(value.name, t)
        ctx.origins[out.number] = ctx.origins.get(value.number, "")
        stmts.append(T.Let((out,), T.Narrow(value), ctx.span(test)))
    if isinstance(left, ast.Name):
        env.names[left.id] = out
    elif isinstance(owner, T.Var):
        # Data never changes, so what is known about a field stays known.
        env.narrowed[owner] = {**env.narrowed.get(owner, {}), left.attr: out}
    return tuple(stmts)
