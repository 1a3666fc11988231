"""Changes of a queue that the function owns: `q.append(x)`, `q.popleft()`. One with a `maxlen`
drops items at the other end."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.types import INT, ListType, NothingType, QueueType
from ..context import FunctionContext
from ..dict_lists import item_of, lists_of
from ..emit import BACK, ZERO, int_op, length, list_op
from ..empty_lists import EMPTY
from ..optional import coerced
from ..places import Place, put
from ..registry import Arity, method, mutation
from ..scope import COLLECTIONS, ITEMS, Env
from ..syntax import makes_items, makes_list
from .dict_changes import own_dict
from .queues import made_queue
from .sequences import listed


def _own(ctx: FunctionContext, node: ast.Call, env: Env) -> tuple[Place, T.Atom]:
    """The queue whose method is called, and the list of its items."""
    assert isinstance(node.func, ast.Attribute)
    where = own_dict(ctx, node.func.value, env)
    return where, lists_of(ctx, where.value, node)[1]


def _becomes(
    ctx: FunctionContext, node: ast.AST, where: Place, items: T.Atom, front: bool, env: Env
) -> None:
    """The queue at a place has other items; beyond its `maxlen` the first are dropped, or with
    `front` the last."""
    t = where.value.type
    assert isinstance(t, QueueType)
    bounds, _ = lists_of(ctx, where.value, node)
    if t.bounded:
        most = list_op(ctx, "get", (bounds, ZERO), INT, node)
        stop = length(ctx, items, node)
        if front:
            start: T.Atom = ZERO
            stop = int_op(ctx, "min", (stop, most), node)
        else:
            over = int_op(ctx, "-", (stop, most), node)
            start = int_op(ctx, "max", (over, ZERO), node)
        items = list_op(ctx, "slice", (items, start, stop), items.type, node)
    new = made_queue(ctx, bounds, items, node, where.name, t.bounded)
    put(ctx, where, new, node, env)


def _with(
    ctx: FunctionContext, where: Place, items: T.Atom, more: T.Atom, source: ast.expr
) -> tuple[T.Atom, ListType]:
    """More items, converted to the type of those of the queue; and the type of all."""
    more = coerced(ctx, more, items.type, source)
    both = join(items.type, more.type)
    if not isinstance(both, ListType):
        ctx.fail(
            "AC017",
            source,
            f"{where.name} is a {where.value.type}, the item is a {item_of(more)}",
            "items of one type",
        )
    return more, both


def _added(ctx: FunctionContext, node: ast.Call, front: bool, env: Env) -> None:
    (source,) = node.args
    item = ctx.expression(source, env)
    where, items = _own(ctx, node, env)
    item = coerced(ctx, item, item_of(items), source)
    fresh = makes_list(source) and makes_items(source, item.type)
    if isinstance(item.type, COLLECTIONS) and not fresh:
        env.owned.discard(where.name + ITEMS)
    made = list_op(ctx, "make", (item,), ListType(item.type), node)
    one, both = _with(ctx, where, items, made, source)
    if front:
        items = list_op(ctx, "concat", (one, items), both, node)
    else:
        items = list_op(ctx, "append", (items, item), both, node)
    _becomes(ctx, node, where, items, front, env)


@mutation(QueueType, "append", Arity(1, 1))
def append(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.append(x)`."""
    _added(ctx, node, False, env)


@mutation(QueueType, "appendleft", Arity(1, 1))
def appendleft(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.appendleft(x)`."""
    _added(ctx, node, True, env)


@mutation(QueueType, "extend", Arity(1, 1))
def extend(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.extend(xs)`."""
    (source,) = node.args
    more = listed(ctx, source, env)
    where, items = _own(ctx, node, env)
    if isinstance(item_of(more), COLLECTIONS):
        env.owned.discard(where.name + ITEMS)
    more, both = _with(ctx, where, items, more, source)
    _becomes(ctx, node, where, list_op(ctx, "concat", (items, more), both, node), False, env)


@mutation(QueueType, "clear", Arity(0, 0))
def clear(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.clear()`."""
    where, items = _own(ctx, node, env)
    _becomes(ctx, node, where, list_op(ctx, "make", (), items.type, node), False, env)


@mutation(QueueType, "reverse", Arity(0, 0))
def reverse(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.reverse()`."""
    where, items = _own(ctx, node, env)
    items = list_op(ctx, "reverse", (items,), items.type, node)
    _becomes(ctx, node, where, items, False, env)


def _taken(ctx: FunctionContext, node: ast.Call, at: T.Atom, env: Env) -> T.Atom:
    where, items = _own(ctx, node, env)
    if isinstance(item_of(items), NothingType):
        return ctx.no_item("AC027", node, "an item of an empty list", EMPTY)
    item = list_op(ctx, "get", (items, at), item_of(items), node)
    items = list_op(ctx, "remove", (items, at), items.type, node)
    _becomes(ctx, node, where, items, False, env)
    return item


@method(QueueType, "pop", Arity(0, 0))
def pop(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`q.pop()`."""
    return _taken(ctx, node, BACK, env)


@method(QueueType, "popleft", Arity(0, 0))
def popleft(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`q.popleft()`."""
    return _taken(ctx, node, ZERO, env)


@mutation(QueueType, "pop", Arity(0, 0))
def pop_unused(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.pop()` as a statement."""
    _taken(ctx, node, BACK, env)


@mutation(QueueType, "popleft", Arity(0, 0))
def popleft_unused(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`q.popleft()` as a statement."""
    _taken(ctx, node, ZERO, env)
