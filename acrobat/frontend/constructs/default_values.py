"""Dicts with defaults that another function made: they are only read."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, DefaultDictType
from ..context import FunctionContext
from ..dict_lists import find_key, has_no_keys, lists_of, value_or
from ..registry import Arity, expression, method, subscript
from ..scope import Env
from ..syntax import mark_fresh
from ..written import call, placed
from .arguments import temporary
from .leaving_dicts import Leaving
from .order_keys import itself


@expression(Leaving)
def leaves(ctx: FunctionContext, node: Leaving, env: Env) -> T.Atom:
    """A dict with defaults, where it leaves the function that made it."""
    value = ctx.expression(node.value, env)
    lists = lists_of(ctx, value, node)
    t = DefaultDictType((lists[0].type, lists[1].type), counts=node.counts)
    return ctx.let(T.MakeTuple(lists), t, node, "dict")


@subscript(DefaultDictType)
def item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`c[k]` of a Counter; of a defaultdict it would insert the key."""
    assert isinstance(obj.type, DefaultDictType)
    if not obj.type.counts:
        text = ast.unparse(node.value)
        ctx.fail(
            "AC030",
            node,
            f"{ast.unparse(node)} inserts a missing key into a {obj.type} of another function",
            f"`{text}.get(k)` with a default, or `{text} = dict({text})` before",
        )
    key = ctx.expression(node.slice, env)
    keys, values = lists_of(ctx, obj, node)
    zero = T.Const(0, INT)
    if has_no_keys(keys):
        return zero
    at, there = find_key(ctx, node.slice, keys, key)
    return value_or(ctx, node, values, at, there, zero)


@method(DefaultDictType, "most_common", Arity(0, 1))
def most_common(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`c.most_common()`, `c.most_common(n)`."""
    mark_fresh(node)
    counts = temporary(env, f"({ast.unparse(node.func)})", receiver, node)
    items = ast.Call(ast.Attribute(counts, "items", ast.Load()), [], [])
    second = itself(node)
    second.body = placed(ast.Subscript(second.body, ast.Constant(1), ast.Load()), node)
    ordered: ast.expr = call(sorted, items, key=second, reverse=ast.Constant(True))
    if node.args:
        least = call(max, *node.args, ast.Constant(0))
        ordered = ast.Subscript(ordered, ast.Slice(None, least), ast.Load())
    return ctx.expression(placed(ordered, node), env)


@method(DefaultDictType, "total", Arity(0, 0))
def total(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`c.total()`."""
    counts = temporary(env, f"({ast.unparse(node.func)})", receiver, node)
    values = ast.Call(ast.Attribute(counts, "values", ast.Load()), [], [])
    return ctx.expression(placed(call(sum, values), node), env)
