"""Functions that an assignment gives a name to."""

from __future__ import annotations

import ast

from ..context import FunctionContext
from ..function_values import FunctionTable, FunctionValue
from ..scope import Env
from .closures import function_value, local_table
from .functions_by_key import function_by_key
from .named_attributes import attribute_or_default


def named_function(
    ctx: FunctionContext, node: ast.expr, env: Env
) -> FunctionValue | FunctionTable | None:
    """The function, or the table of functions, that an assignment gives a name to; None if its
    value is neither."""
    if isinstance(node, ast.Call) and ctx.static(node.func, env) is getattr:
        node = attribute_or_default(ctx, node, env)
    return (
        function_by_key(ctx, node, env)
        or function_value(ctx, node, env)
        or local_table(ctx, node, env)
    )
