"""What is compared when items are put in order: keys, and which types have an order."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.type_queries import parts_in_order
from ...ir.types import BOOL, FLOAT, INT, TEXT, ListType, OptionalType, TensorType, TupleType, Type
from ..context import FunctionContext
from ..decisions import one_element, read_number
from ..emit import length, list_op
from ..scope import Env
from ..written import shown

_KEYED, _ALL = "an item with a key", "the items with keys"  # no names that a model may have


def has_order(t: Type) -> bool:
    """Whether values of type `t` have one."""
    if isinstance(t, TupleType):  # objects may have the order that a method of theirs defines
        parts = parts_in_order(t)
        return bool(parts) and all(has_order(t.items[i]) for i in parts)
    return t in (INT, FLOAT, BOOL, TEXT) or _is_number(t)


def _is_number(t: Type) -> bool:
    return isinstance(t, TensorType) and not t.dims and not t.mask


def as_numbers(ctx: FunctionContext, node: ast.AST, items: T.Atom) -> T.Atom:
    """A list of tensors of rank 0 as a list of their numbers; any other list as it is."""
    assert isinstance(items.type, ListType)
    if not _is_number(items.type.item):
        return items
    return mapped(ctx, node, items, FLOAT, lambda x: read_number(ctx, x, node))


def keys_of(ctx: FunctionContext, key: ast.expr, items: T.Atom, env: Env) -> T.Atom:
    """The list of what the function `key` gives for each of `items`, which has an order."""
    item = ast.Name(_KEYED, ast.Load())
    call: ast.expr = ast.Call(key, [item], [])
    match key:
        case ast.Attribute(ast.Name(name) as owner, "get") if env.is_dict(name):
            # `max(d, key=d.get)`: every key is there.
            call = ast.Subscript(ast.Name(owner.id, ast.Load()), item, ast.Load())
    generator = ast.comprehension(
        ast.Name(_KEYED, ast.Store()), ast.Name(_ALL, ast.Load()), [], is_async=0
    )
    tree = ast.ListComp(call, [generator])
    for inner in ast.walk(tree):
        if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, key)
    env.names[_ALL] = items
    try:
        keys = ctx.expression(tree, env)
    finally:
        env.names.pop(_ALL, None)
    assert isinstance(keys.type, ListType)
    if one_element(T.Var("key", keys.type.item)):
        return mapped(ctx, key, keys, FLOAT, lambda k: read_number(ctx, k, key))
    t = keys.type.item
    if isinstance(t, OptionalType) and has_order(t.item):
        return _compared(ctx, key, keys, t.item)
    if not has_order(t):
        ctx.fail(
            "AC017",
            key,
            f"a key that is a {t}, which has no order",
            "a function whose result is a number",
        )
    return keys


def _compared(ctx: FunctionContext, node: ast.expr, keys: T.Atom, t: Type) -> T.Var:
    """Keys that may be None: a fault if one is and there is another to compare it with."""
    alone = ctx.let(T.Scalar("<", (length(ctx, keys, node), T.Const(2, INT))), BOOL, node, "alone")
    fault = f"TypeError: None has no order, and {shown(node)} gives it as a key"
    empty = T.Region((), T.Yield(()))

    def content(key: T.Atom) -> T.Atom:
        assert isinstance(key, T.Var)
        there = ctx.let(T.GetItem(key, 0), BOOL, node, "there")
        wrong = T.Region((), T.Raise((fault,), ()))
        test = T.If((), alone, empty, wrong, ctx.span(node))
        ctx.stmts.append(T.If((), there, empty, T.Region((test,), T.Yield(())), ctx.span(node)))
        return ctx.let(T.GetItem(key, 1), t, node, "key")

    return mapped(ctx, node, keys, t, content)


def itself(node: ast.AST) -> ast.Lambda:
    """The key of tensors of one element, which are ordered by it."""
    parameter = ast.arguments([], [ast.arg(_KEYED)], None, [], [], None, [])
    found = ast.Lambda(parameter, ast.Name(_KEYED, ast.Load()))
    for part in ast.walk(found):
        ast.copy_location(part, node)
    return found


def mapped(
    ctx: FunctionContext, node: ast.AST, items: T.Atom, t: Type, one: Callable[[T.Atom], T.Atom]
) -> T.Var:
    """`[one(x) for x in items]`, a list of items of type `t`."""
    assert isinstance(items.type, ListType)
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        value = one(list_op(ctx, "get", (items, index), items.type.item, node))
    out = T.Var("items", ListType(t))
    region = T.Region(tuple(stmts), T.Yield((value,)))
    stop = length(ctx, items, node)
    ctx.stmts.append(T.Map((out,), index, stop, region, False, ctx.span(node)))
    return out
