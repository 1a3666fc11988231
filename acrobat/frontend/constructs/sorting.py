"""`sorted(xs)`, and what orders by a key: numbers, strings, and tuples of these."""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator

from ...ir import typed as T
from ...ir.type_queries import parts_in_order
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    DictType,
    ListType,
    NothingType,
    TupleType,
    Type,
)
from ..context import FunctionContext
from ..decisions import one_element
from ..emit import BACK, ONE, ZERO, int_op, length, list_op
from ..frozen_lists import thawed
from ..registry import function
from ..scope import Env
from ..syntax import mark_fresh
from ..written import placed
from .order_by_method import by_method, has_order_by_method
from .order_keys import as_numbers, has_order, itself, keys_of, mapped
from .sequences import listed_numbers


@function(sorted)
def sorted_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`sorted(xs)`, `sorted(xs, key=f)`, `reverse=True`."""
    if len(node.args) != 1:
        ctx.fail("AC016", node, f"sorted takes 1 argument, got {len(node.args)}", "`sorted(xs)`")
    mark_fresh(node)
    (source,) = node.args
    return in_order(ctx, node, source, listed_numbers(ctx, source, env), env)


@function(heapq.nlargest)
def nlargest(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`heapq.nlargest(n, xs, key=f)`: `sorted(xs, key=f, reverse=True)[:n]`."""
    return _first_of(ctx, node, True, env)


@function(heapq.nsmallest)
def nsmallest(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`heapq.nsmallest(n, xs, key=f)`: `sorted(xs, key=f)[:n]`."""
    return _first_of(ctx, node, False, env)


def _first_of(ctx: FunctionContext, node: ast.Call, backwards: bool, env: Env) -> T.Atom:
    name = ast.unparse(node.func)
    if len(node.args) != 2 or any(k.arg != "key" for k in node.keywords):
        got = f"{len(node.args)} arguments" + "".join(f", {k.arg}=" for k in node.keywords)
        ctx.fail(
            "AC016", node, f"{name} takes 2 arguments and `key`, got {got}", f"`{name}(n, xs)`"
        )
    count, source = node.args
    turned = ast.keyword("reverse", ast.copy_location(ast.Constant(backwards), node))
    words = [*node.keywords, turned]
    call = ast.copy_location(ast.Call(ast.Name("sorted", ast.Load()), [source], words), node)
    n = ctx.expression(count, env)
    if n.type != INT:
        ctx.fail("AC017", count, f"so many of a list is an int, this is {n.type}", "an int")
    items = in_order(ctx, call, source, listed_numbers(ctx, source, env), env)
    mark_fresh(node)
    stop = int_op(ctx, "max", (n, ZERO), node)
    return list_op(ctx, "slice", (items, ZERO, stop), items.type, node)


def in_order(
    ctx: FunctionContext, node: ast.Call, source: ast.expr, items: T.Atom, env: Env
) -> T.Atom:
    """The items, which `source` writes, sorted as the keywords of the call say."""
    items = thawed(items)
    assert isinstance(items.type, ListType)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    backwards = False
    key: ast.expr | None = None
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg == "key":
            key = None if isinstance(value, ast.Constant) and value.value is None else value
            continue
        if keyword.arg != "reverse" or not isinstance(value, ast.Constant):
            ctx.fail(
                "AC016",
                value,
                f"{name} does not take {keyword.arg!r} here",
                "`sorted(xs)`, `key=f`, or `reverse=True`",
            )
        backwards = bool(value.value)
    t = items.type.item
    if isinstance(t, NothingType):
        return items
    if key is None and t not in (INT, FLOAT):
        if not one_element(T.Var("item", t)) and not has_order(t):
            found = _by_method(ctx, node, items, backwards, env)
            if found is not None:
                return found
            if not _are_entries(ctx, source, t, env):
                has_none = f"a {items.type} has no order"
                ctx.fail("AC017", source, has_none, "a list of numbers, or `key=f`")
            key = _part(itself(node))
        else:
            key = itself(node)
    if key is not None:
        return _sorted_by(ctx, node, items, key, backwards, env)
    # Equal items keep their order, also from the greatest to the least.
    steps = ("reverse", "sort", "reverse") if backwards else ("sort",)
    for op in steps:
        items = list_op(ctx, op, (items,), items.type, node)
    return items


def _by_method(
    ctx: FunctionContext, node: ast.Call, items: T.Atom, backwards: bool, env: Env
) -> T.Atom | None:
    assert isinstance(items.type, ListType)
    if backwards and has_order_by_method(ctx, items.type.item):
        items = list_op(ctx, "reverse", (items,), items.type, node)
    found = by_method(ctx, "sorted", node, items, env)
    if found is None or not backwards:
        return found
    return list_op(ctx, "reverse", (found,), found.type, node)


def _are_entries(ctx: FunctionContext, source: ast.expr, t: Type, env: Env) -> bool:
    """Whether `source` is `d.items()` of a dict whose keys have an order: as all are different,
    the values do not count."""
    match source:
        case ast.Call(ast.Attribute(owner, "items"), [], []):
            with ctx.region():
                is_dict = isinstance(ctx.peek(owner, env.copy()).type, DictType)
            return is_dict and isinstance(t, TupleType) and has_order(t.items[0])
    return False


def _part(key: ast.Lambda) -> ast.Lambda:
    """The key `lambda x: x[0]`, for `lambda x: x`."""
    key.body = placed(ast.Subscript(key.body, ast.Constant(0), ast.Load()), key)
    return key


def _sorted_by(
    ctx: FunctionContext,
    node: ast.Call,
    items: T.Atom,
    key: ast.expr,
    backwards: bool,
    env: Env,
) -> T.Atom:
    """Sort the items by their keys."""
    assert isinstance(items.type, ListType)
    if backwards:
        items = list_op(ctx, "reverse", (items,), items.type, node)
    found = _picked(ctx, node, items, _order(ctx, node, keys_of(ctx, key, items, env)))
    return list_op(ctx, "reverse", (found,), found.type, node) if backwards else found


def _order(ctx: FunctionContext, node: ast.AST, keys: T.Atom) -> T.Var:
    """The indices of the items, by ascending keys; equal ones stay as they stand. Tuples go by the
    last part first: every sort is stable."""
    order: T.Var | None = None
    for column in reversed(list(_columns(ctx, node, keys))):
        if order is not None:
            column = _picked(ctx, node, column, order)
        new = list_op(ctx, "order", (column,), ListType(INT), node)
        order = new if order is None else _picked(ctx, node, order, new)
    assert order is not None
    return order


def _columns(ctx: FunctionContext, node: ast.AST, keys: T.Atom) -> Iterator[T.Atom]:
    """Lists of numbers and strings: the keys, or part by part if they are tuples."""
    keys = as_numbers(ctx, node, keys)
    assert isinstance(keys.type, ListType)
    t = keys.type.item
    if t == BOOL:
        yield mapped(ctx, node, keys, INT, lambda k: ctx.let(T.Scalar("int", (k,)), INT, node))
    elif not isinstance(t, TupleType):
        yield keys
    else:
        for i in parts_in_order(t):
            part = t.items[i]

            def at(key: T.Atom, i: int = i, part: Type = part) -> T.Atom:
                assert isinstance(key, T.Var)
                return ctx.let(T.GetItem(key, i), part, node, "part")

            yield from _columns(ctx, node, mapped(ctx, node, keys, part, at))


def _picked(ctx: FunctionContext, node: ast.AST, items: T.Atom, order: T.Atom) -> T.Var:
    """The items at these indices."""
    assert isinstance(items.type, ListType)
    t = items.type.item
    return mapped(ctx, node, order, t, lambda i: list_op(ctx, "get", (items, i), t, node))


def extreme_place(ctx: FunctionContext, name: str, node: ast.AST, keys: T.Atom) -> T.Atom:
    """The index of the largest or least of keys that are strings or tuples, the first of equals."""
    if name == "min":
        return list_op(ctx, "get", (_order(ctx, node, keys), ZERO), INT, node)
    # From the back, the first of equals is the last of them in ascending order.
    turned = list_op(ctx, "reverse", (keys,), keys.type, node)
    place = list_op(ctx, "get", (_order(ctx, node, turned), BACK), INT, node)
    last = int_op(ctx, "-", (length(ctx, keys, node), ONE), node)
    return int_op(ctx, "-", (last, place), node)
