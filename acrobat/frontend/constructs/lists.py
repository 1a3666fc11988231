"""Lists: literals, items, slices, appending."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, NOTHING, ListType, NothingType, Type, join, run_time_value
from ..context import FunctionContext
from ..emit import ZERO, length, list_op
from ..registry import Arity, expression, mutation, subscript
from ..scope import Env
from ..sizes import literal
from ..targets import EMPTY


@expression(ast.List)
def list_literal(ctx: FunctionContext, node: ast.List, env: Env) -> T.Var:
    """`[a, b]`, `[*xs, b]`."""
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return _joined(ctx, node, env)
    items = tuple(ctx.expression(e, env) for e in node.elts)
    t: Type = NOTHING
    for element, item in zip(node.elts, items, strict=True):
        refuse_weights(ctx, element, item)
        both = join(t, item.type)
        if both is None:
            ctx.fail(
                "AC008",
                element,
                f"an item of type {item.type} in a list of {t}",
                "items of one type, or of members of one union",
            )
        t = both
    return list_op(ctx, "make", items, ListType(t), node)


def refuse_weights(ctx: FunctionContext, node: ast.expr, item: T.Atom) -> None:
    """An error if `item` is of weights: each operation must know its own when it is compiled."""
    if not run_time_value(item.type):
        ctx.fail("AC002", node, f"a list of weights ({item.type})", "a name for each")


def _joined(ctx: FunctionContext, node: ast.List, env: Env) -> T.Var:
    """A literal with lists in it: its parts, concatenated."""
    parts: list[ast.expr] = []
    single: list[ast.expr] = []
    for element in [*node.elts, None]:
        if isinstance(element, ast.expr) and not isinstance(element, ast.Starred):
            single.append(element)
            continue
        if single:
            parts.append(ast.copy_location(ast.List(single, ast.Load()), node))
            single = []
        if element is not None:
            parts.append(element.value)
    whole = parts[0]
    for part in parts[1:]:
        whole = ast.copy_location(ast.BinOp(whole, ast.Add(), part), node)
    if len(parts) == 1:
        empty = ast.copy_location(ast.List([], ast.Load()), node)
        whole = ast.copy_location(ast.BinOp(whole, ast.Add(), empty), node)
    items = ctx.expression(whole, env)
    if not isinstance(items, T.Var) or not isinstance(items.type, ListType):
        ctx.fail("AC017", node, f"`*` of a {items.type} in a list", "a list")
    return items


@subscript(ListType)
def list_item(ctx: FunctionContext, node: ast.Subscript, items: T.Atom, env: Env) -> T.Var:
    """`xs[i]`, `xs[a:b]`, `xs[::-1]`."""
    assert isinstance(items.type, ListType)
    if isinstance(node.slice, ast.Slice):
        return _slice(ctx, node, items, node.slice, env)
    at = ctx.expression(node.slice, env)
    if at.type != INT:
        ctx.fail(
            "AC017",
            node.slice,
            f"an item of a list is chosen by an int, this is {at.type}",
            "an int, or `a:b` for a part",
        )
    if isinstance(items.type.item, NothingType):
        ctx.error("AC027", node, "an item of an empty list", EMPTY)
        return T.Var("nothing", NOTHING)
    return list_op(ctx, "get", (items, at), items.type.item, node)


def _slice(
    ctx: FunctionContext, node: ast.Subscript, items: T.Atom, index: ast.Slice, env: Env
) -> T.Var:
    step = 1 if index.step is None else literal(ctx, index.step)
    if step == -1 and index.lower is None and index.upper is None:
        return list_op(ctx, "reverse", (items,), items.type, node)
    if step != 1:
        ctx.fail("AC002", index, "a slice of a list with a step", "`xs[a:b]`, or `xs[::-1]`")
    start = ZERO if index.lower is None else _bound(ctx, index.lower, env)
    stop = length(ctx, items, node) if index.upper is None else _bound(ctx, index.upper, env)
    return list_op(ctx, "slice", (items, start, stop), items.type, node)


def _bound(ctx: FunctionContext, part: ast.expr, env: Env) -> T.Atom:
    bound = ctx.expression(part, env)
    if bound.type != INT:
        ctx.fail("AC017", part, f"a bound of a slice is an int, this is {bound.type}", "an int")
    return bound


@mutation(ListType, "append", Arity(1, 1))
def append(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.append(x)`: the name stands for a longer list now."""
    (item,) = node.args
    _grow(ctx, node, name, "append", item, f"[{ast.unparse(item)}]", env)


def extend(ctx: FunctionContext, node: ast.AugAssign, name: str, env: Env) -> None:
    """`xs += ys`: the name stands for a longer list now."""
    _grow(ctx, node, name, "concat", node.value, ast.unparse(node.value), env)


def _grow(
    ctx: FunctionContext,
    node: ast.AST,
    name: str,
    op: str,
    source: ast.expr,
    text: str,
    env: Env,
) -> None:
    """`name` and what `source` adds to it; `text` is the list that `name + ...` would need."""
    value = env.names.get(name)
    if name in ctx.iterated:
        ctx.fail("AC030", node, f"{name} grows while a loop runs over it", "append to another list")
    if name not in env.owned or not isinstance(value, T.Var):
        ctx.fail(
            "AC030",
            node,
            f"{name} may be known by another name, under which it would grow too",
            f"`{name} = {name} + {text}`",
        )
    assert isinstance(value.type, ListType)
    added = ctx.expression(source, env)
    refuse_weights(ctx, source, added)
    wanted = ListType(added.type) if op == "append" else added.type
    both = join(value.type, wanted)
    if both is None or isinstance(wanted, NothingType):
        ctx.fail(
            "AC017",
            source if op == "append" else node,
            f"{name} is a {value.type}, the item is a {added.type}",
            "items of one type",
        )
    out = T.Var(name, both)
    ctx.stmts.append(T.Let((out,), T.ListOp(op, (value, added)), ctx.span(node)))
    env.names[name] = out
