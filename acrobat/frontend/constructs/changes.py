"""Changes of a list that the function owns: methods, assignment to items, `del`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.types import INT, DictType, ListType
from ..context import FunctionContext
from ..emit import BACK, ZERO, int_op, length, list_op
from ..frozen_lists import items_of_array
from ..optional_items import wanted
from ..places import Place, change, fitting, index, place, put
from ..registry import Arity, method, mutation, statement
from ..scope import ITEMS, Env, Undefined
from ..syntax import moved_name, root_name
from ..written import placed
from . import dict_changes
from .bounds import clamped, slice_bound
from .int_arrays import check_extends
from .numbers import repeated
from .sequences import listed
from .sorting import in_order

# More items than a list can have.
_END = T.Const(2**62, INT)


def _receiver(ctx: FunctionContext, node: ast.Call, env: Env, new: Callable[[str], str]) -> Place:
    """The list whose method is called; `new` writes the list that its name could get instead."""
    assert isinstance(node.func, ast.Attribute)
    text = ast.unparse(node.func.value)
    return place(ctx, node.func.value, env, f"`{text} = {new(text)}`")


@mutation(ListType, "append", Arity(1, 1))
def append(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.append(x)`: afterwards the name stands for a longer list."""
    (source,) = node.args
    assert isinstance(node.func, ast.Attribute)
    source = wanted(ctx, node.func.value, source, inside=True)
    moved = moved_name(source)
    alone = moved is not None and {moved, moved + ITEMS} <= env.owned
    item = ctx.expression(source, env)
    where = _receiver(ctx, node, env, lambda xs: f"{xs} + [{ast.unparse(source)}]")
    item = fitting(ctx, where, source, item, where.type.item, env, alone)
    change(ctx, where, "append", (item,), node, env)


@mutation(ListType, "extend", Arity(1, 1))
def extend(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.extend(ys)`."""
    assert isinstance(node.func, ast.Attribute)
    source = wanted(ctx, node.func.value, node.args[0], inside=False)
    items = listed(ctx, source, env)
    where = _receiver(ctx, node, env, lambda xs: f"{xs} + {ast.unparse(source)}")
    _concat(ctx, where, node, source, items, env)


def extended(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """`xs += ys`."""
    check_extends(ctx, node, env)
    items = listed(ctx, wanted(ctx, node.target, node.value, inside=False), env)
    text = ast.unparse(node.target)
    where = place(ctx, node.target, env, f"`{text} = {text} + {ast.unparse(node.value)}`")
    _concat(ctx, where, node, node.value, items, env)


def repeated_in_place(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """`xs *= n`."""
    times = ctx.expression(node.value, env)
    text = ast.unparse(node.target)
    where = place(ctx, node.target, env, f"`{text} = {text} * {ast.unparse(node.value)}`")
    if times.type != INT:
        ctx.fail(
            "AC017", node.value, f"a list is repeated by an int, this is {times.type}", "an int"
        )
    put(ctx, where, repeated(ctx, node, where.value, times), node, env)


def _concat(
    ctx: FunctionContext, where: Place, node: ast.AST, source: ast.expr, items: T.Atom, env: Env
) -> None:
    items = fitting(ctx, where, source, items, where.type, env)
    change(ctx, where, "concat", (items,), node, env)


@mutation(ListType, "insert", Arity(2, 2))
def insert(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.insert(i, x)`."""
    position, source = node.args
    assert isinstance(node.func, ast.Attribute)
    source = wanted(ctx, node.func.value, source, inside=True)
    at = ctx.expression(position, env)
    if at.type != INT:
        ctx.fail("AC017", position, f"a place in a list is an int, this is {at.type}", "an int")
    item = ctx.expression(source, env)
    text = ast.unparse(source)
    where = _receiver(ctx, node, env, lambda xs: f"[{text}, *{xs}]")
    item = fitting(ctx, where, source, item, where.type.item, env)
    t, xs = ListType(item.type), where.value
    one = list_op(ctx, "make", (item,), t, node)
    if at != ZERO:
        before = list_op(ctx, "slice", (xs, ZERO, at), where.type, node)
        one = list_op(ctx, "concat", (before, one), _joined(where.type, t), node)
        stop = length(ctx, xs, node)
        xs = list_op(ctx, "slice", (xs, at, stop), where.type, node)
    put(ctx, where, list_op(ctx, "concat", (one, xs), _joined(where.type, t), node), node, env)


def _joined(a: ListType, b: ListType) -> ListType:
    """The type of the concatenation of both; `fitting` has checked that it exists."""
    both = join(a, b)
    assert isinstance(both, ListType)
    return both


@mutation(ListType, "remove", Arity(1, 1))
def remove(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.remove(x)`: without the first item that equals x."""
    assert isinstance(node.func, ast.Attribute)
    owner = node.func.value
    func = ast.Attribute(owner, "index", ast.Load())
    at = placed(ast.Call(func, node.args, []), node)
    place = ast.Subscript(owner, at, ast.Del())
    ctx.statement(placed(ast.Delete([placed(place, node)]), node), env)


@mutation(ListType, "clear", Arity(0, 0))
def clear(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.clear()`."""
    where = _receiver(ctx, node, env, lambda xs: "[]")
    put(ctx, where, list_op(ctx, "make", (), where.type, node), node, env)


@mutation(ListType, "reverse", Arity(0, 0))
def reverse(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.reverse()`."""
    change(ctx, _receiver(ctx, node, env, lambda xs: f"{xs}[::-1]"), "reverse", (), node, env)


@mutation(ListType, "sort", Arity(0, 0), keywords=True)
def sort(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.sort()`, `xs.sort(key=f, reverse=True)`."""
    words = "".join(f", {k.arg}={ast.unparse(k.value)}" for k in node.keywords)
    where = _receiver(ctx, node, env, lambda xs: f"sorted({xs}{words})")
    assert isinstance(node.func, ast.Attribute)
    items = in_order(ctx, node, node.func.value, where.value, env)
    put(ctx, where, items, node, env)


@mutation(ListType, "pop", Arity(0, 1))
def pop_unused(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`xs.pop()` as a statement."""
    _pop(ctx, node, env)


@method(ListType, "pop", Arity(0, 1))
def pop(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`xs.pop()`, `xs.pop(i)`: the item; afterwards the name stands for a shorter list."""
    where, at = _pop(ctx, node, env)
    return list_op(ctx, "get", (where.value, at), where.type.item, node)


def _pop(ctx: FunctionContext, node: ast.Call, env: Env) -> tuple[Place, T.Atom]:
    at: T.Atom = BACK
    for source in node.args:
        at = ctx.expression(source, env)
        if at.type != INT:
            ctx.fail("AC017", source, f"a place in a list is an int, this is {at.type}", "an int")

    def shorter(xs: str) -> str:
        return (
            f"{xs}[1:]` behind `x = {xs}[0]" if at == ZERO else f"{xs}[:-1]` behind `x = {xs}[-1]"
        )

    where = _receiver(ctx, node, env, shorter)
    change(ctx, where, "remove", (at,), node, env)
    return where, at


def store_item(
    ctx: FunctionContext, node: ast.Subscript, source: ast.expr, item: T.Atom, env: Env
) -> None:
    """`xs[i] = item`, `d[k] = item`, where `source` is the expression of `item`."""
    inner = dict_changes.default_place(ctx, node.value, env)
    if inner is not None:
        node = ast.copy_location(ast.Subscript(inner, node.slice, ast.Store()), node)
    name, text = root_name(node), ast.unparse(node.value)
    inside = isinstance(node.value, ast.Subscript)
    if isinstance(node.value, ast.Name) and env.is_dict(node.value.id):
        dict_changes.store(ctx, node, source, item, env)
        return
    if name is None or not (env.is_list(name) or (inside and env.is_dict(name))):
        place(ctx, node, env, "")
        return
    if isinstance(node.slice, ast.Slice) and node.slice.step is None:
        _store_part(ctx, node, node.slice, source, item, env)
        return
    own = f"`{text} = [*{text}]` before: a list of its own"
    if inside:
        at = ctx.expression(node.slice, env)
        where = place(ctx, node.value, env, own)
        if isinstance(where.value.type, DictType):
            dict_changes.store_at(ctx, where, node, source, (at, item), env)
            return
        at = index(ctx, node, env, at)
    else:
        at = index(ctx, node, env)
        where = place(ctx, node.value, env, own, at)
    item = fitting(ctx, where, source, item, where.type.item, env)
    change(ctx, where, "set", (at, item), node, env)


def _store_part(
    ctx: FunctionContext,
    node: ast.Subscript,
    part: ast.Slice,
    source: ast.expr,
    items: T.Atom,
    env: Env,
) -> None:
    """`xs[a:b] = items`: the part before the slice, the items, and the part after it."""
    bounds = [
        None if b is None else slice_bound(ctx, b, env, default)
        for b, default in ((part.lower, ZERO), (part.upper, _END))
    ]
    text = ast.unparse(node.value)
    where = place(ctx, node.value, env, f"`{text} = [*{text}]` before: a list of its own")
    items = fitting(ctx, where, source, items_of_array(items), where.type, env)
    xs, n = where.value, length(ctx, where.value, node)

    start = ZERO if bounds[0] is None else clamped(ctx, node, bounds[0], n)
    end = n if bounds[1] is None else clamped(ctx, node, bounds[1], n)
    stop = int_op(ctx, "max", (start, end), node)
    before = list_op(ctx, "slice", (xs, ZERO, start), where.type, node)
    behind = list_op(ctx, "slice", (xs, stop, n), where.type, node)
    assert isinstance(items.type, ListType)
    both = _joined(where.type, items.type)
    new = list_op(ctx, "concat", (before, items), both, node)
    put(ctx, where, list_op(ctx, "concat", (new, behind), both, node), node, env)


@statement(ast.Delete)
def delete(ctx: FunctionContext, node: ast.Delete, env: Env) -> None:
    """`del x`, `del xs[i]`, `del d[k]`."""
    for target in node.targets:
        match target:
            case ast.Name(name) if name in env.names:
                env.names[name] = Undefined(ctx.span(node))
                env.escape(name)
            case ast.Subscript(ast.Name(name)) if env.is_dict(name):
                dict_changes.remove(ctx, target, env)
            case ast.Subscript(slice=ast.Slice(step=None)) if root_name(target) is not None:
                nothing = ast.copy_location(ast.List([], ast.Load()), target)
                store_item(ctx, target, nothing, ctx.expression(nothing, env), env)
            case ast.Subscript(ast.Subscript() as inner) if _is_dict(ctx, inner, env):
                dict_changes.remove(ctx, target, env)
            case ast.Subscript():
                at = index(ctx, target, env)
                text = ast.unparse(target.value)
                where = place(ctx, target.value, env, f"`{text} = [*{text}]` before")
                change(ctx, where, "remove", (at,), node, env)
            case _:
                ctx.fail("AC015", target, "this cannot be deleted", "a name, or an item of a list")


def _is_dict(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    with ctx.region():
        return isinstance(ctx.peek(node, env.copy()).type, DictType)
