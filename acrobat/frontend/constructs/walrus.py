"""`x := value` inside an expression."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ..context import FunctionContext
from ..registry import expression
from ..scope import Env
from ..targets import assign


@expression(ast.NamedExpr)
def walrus(ctx: FunctionContext, node: ast.NamedExpr, env: Env) -> T.Atom:
    """`(x := value)`."""
    value = ctx.expression(node.value, env)
    assign(ctx, node.target, value, env)
    return value
