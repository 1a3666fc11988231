"""Arguments of numpy's functions that may be None: `np.argmax(best[n])` of `best = [None] * n`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import OptionalType, TensorType
from ..context import FunctionContext
from ..looking import looked_at
from ..presence import not_none
from ..scope import Env
from .arguments import temporary
from .chosen_weights import of_weights


def with_arrays(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """The call with a name for each argument that is an array or None; the instance is at fault if
    it is None, of which numpy would make an array of an object."""
    args = [_as_array(ctx, a, env) for a in node.args]
    if all(a is b for a, b in zip(args, node.args, strict=True)):
        return node
    return ast.copy_location(ast.Call(node.func, args, node.keywords), node)


def _as_array(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    match node:
        case ast.Name(name):
            value = env.names.get(name)
        case ast.Attribute() | ast.Subscript() if not of_weights(node, env):
            value = looked_at(ctx, node, env)
        case _:
            return node
    if not isinstance(value, T.Var) or not isinstance(value.type, OptionalType):
        return node
    if not isinstance(value.type.item, TensorType):
        return node
    array = not_none(ctx, node, ctx.expression(node, env), env)
    return temporary(env, ast.unparse(node), array, node)
