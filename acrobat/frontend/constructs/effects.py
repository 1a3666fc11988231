"""Expressions as statements: methods that change a list, `ab.phase()`, docstrings."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...lang.model import phase
from ..context import FunctionContext
from ..registry import MUTATIONS, statement
from ..scope import Env
from .functions import begin_phase


@statement(ast.Expr)
def effect(ctx: FunctionContext, node: ast.Expr, env: Env) -> None:
    """`xs.append(x)`, `ab.phase()`, a docstring."""
    match node.value:
        case ast.Constant():
            return
        case ast.Call(ast.Attribute(ast.Name(name), _)) as call if env.is_list(name):
            _mutate(ctx, node, call, name, env)
        case ast.Call(func, [], []) if ctx.static(func, env) is phase:
            begin_phase(ctx, node)
        case _:
            ctx.error(
                "AC001",
                node,
                "the value of this expression is not used",
                "assign it or delete it; model functions have no side effects",
            )


def _mutate(ctx: FunctionContext, node: ast.Expr, call: ast.Call, name: str, env: Env) -> None:
    """`xs.append(x)` and the like."""
    value = env.names[name]
    assert isinstance(value, (T.Var, T.Const)) and isinstance(call.func, ast.Attribute)
    method = MUTATIONS.get((type(value.type), call.func.attr))
    if method is not None and not call.keywords and method.arity.takes(len(call.args)):
        method.lower(ctx, call, name, env)
        return
    ctx.error(
        "AC015",
        node,
        f"{name}.{call.func.attr} changes a list",
        f"`{name}.append(x)`, or a new list: `{name} = {name} + ...`",
    )


@statement(ast.Pass)
def nothing(ctx: FunctionContext, node: ast.Pass, env: Env) -> None:
    """`pass`."""
