"""`*` of a list in a call: `ops.stack(*rows)` and `max(*xs, 0)` take one list instead."""

from __future__ import annotations

import ast

from ...ir.types import FLOAT, INT, ListType
from ..context import FunctionContext
from ..emit import known_items
from ..scope import Env
from ..written import call, known, placed
from .arguments import temporary, with_parts
from .operations import operation_name


def with_arguments(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """The call with an expression for each of its arguments."""
    for keyword in node.keywords:
        if keyword.arg is None:
            ctx.fail("AC002", keyword.value, "`**` in a call", "each argument by itself")
    return with_parts(ctx, _with_one_list(ctx, node, env), env)


def _with_one_list(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """The call with one list in place of its arguments, if `*` gives it items of a list; any other
    call itself."""
    spread = [a.value for a in node.args if isinstance(a, ast.Starred)]
    if not spread:
        return node
    callee = ctx.static(node.func, env)
    least = callee in (max, min) and len(node.args) > 1
    if not least and operation_name(callee) != "stack":
        return node
    if any(k.arg == "default" for k in node.keywords):
        return node  # an error in Python, too
    if not any(_is_list(ctx, value, env) for value in spread):
        return node
    items: ast.expr = placed(ast.List(list(map(_listed, node.args)), ast.Load()), node)
    if least:
        with ctx.region():
            t = ctx.expression(items, env.copy()).type
        if not isinstance(t, ListType) or t.item not in (INT, FLOAT):
            return node  # one argument that is a string or a tuple has items of its own
        items = temporary(
            env, f"the arguments of {ast.unparse(node)}", ctx.expression(items, env), node
        )
        few = ast.Compare(call(len, items), [ast.Lt()], [known(2)])
        error = ast.Raise(call(TypeError, known("'int' object is not iterable")), None)
        ctx.statement(placed(ast.If(few, [error], []), node), env)
    return ast.copy_location(ast.Call(node.func, [items], node.keywords), node)


def _listed(node: ast.expr) -> ast.expr:
    match node:
        case ast.Starred(ast.GeneratorExp(item, generators)):
            every = ast.copy_location(ast.ListComp(item, generators), node)
            return ast.copy_location(ast.Starred(every, ast.Load()), node)
    return node


def _is_list(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` is a list whose length is not known when the model is compiled."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return True
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(isinstance(e, ast.Starred) for e in node.elts)
    with ctx.region():
        value = ctx.peek(node, env.copy())
    return isinstance(value.type, ListType) and known_items(ctx, value) is None
