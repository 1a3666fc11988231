"""Methods of tuples, `t.index(x)`, `t.count(x)`, of numpy's numbers, `np.argmax(x).item()`, and of
its arrays of ints, `np.argsort(x).tolist()`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NoReturn

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.types import NOTHING, FloatType, IntArrayType, IntType, ListType, TupleType, Type
from ..context import FunctionContext
from ..emit import ZERO, length, list_op
from ..frozen_lists import items_of_array
from ..optional import coerced
from ..registry import Arity, field, method
from ..scope import Env
from ..syntax import mark_fresh
from ..written import call, placed
from .arguments import temporary
from .membership import count, index_


def _listed(ctx: FunctionContext, node: ast.Call, receiver: T.Atom) -> T.Atom:
    assert isinstance(receiver.type, TupleType)
    whole: Type | None = NOTHING
    for t in receiver.type.items:
        whole = None if whole is None else join(whole, t)
    if whole is None:
        ctx.fail(
            "AC017",
            node,
            f"{ast.unparse(node.func)} of a {receiver.type}, whose parts have several types",
            "comparisons with its parts",
        )
    parts = [
        ctx.let(T.GetItem(receiver, i), t, node, "part")
        for i, t in enumerate(receiver.type.items)
        if isinstance(receiver, T.Var)
    ]
    items = tuple(coerced(ctx, p, whole, node) for p in parts)
    return list_op(ctx, "make", items, ListType(whole), node)


@method(TupleType, "index", Arity(1, 1))
def index_of_tuple(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`KINDS.index(x)`: the index of the first part that equals `x`."""
    return index_(ctx, node, _listed(ctx, node, receiver), env)


@method(TupleType, "count", Arity(1, 1))
def count_in_tuple(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`t.count(x)`: how many parts equal `x`."""
    return count(ctx, node, _listed(ctx, node, receiver), env)


@method(IntType, "item", Arity(0, 0))
@method(FloatType, "item", Arity(0, 0))
def item(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`np.argmax(x).item()`: numbers of numpy are Python's."""
    return receiver


@method(IntArrayType, "tolist", Arity(0, 0))
def tolist(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`np.argsort(x).tolist()`: a list of its own."""
    items = items_of_array(receiver)
    mark_fresh(node)
    return list_op(ctx, "slice", (items, ZERO, length(ctx, items, node)), items.type, node)


def _of_items(name: str, function: Callable[..., Any]) -> None:
    @method(IntArrayType, name, Arity(0, 0))
    def lower(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
        """`ids.sum()`, `ids.max()`, `ids.min()`."""
        own = Env()
        items = temporary(own, "the items of an array", items_of_array(receiver), node)
        return ctx.expression(placed(call(function, items), node), own)


for _name, _function in (("sum", sum), ("max", max), ("min", min)):
    _of_items(_name, _function)


@field(IntArrayType, "size")
def size(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`np.argsort(x).size`."""
    return length(ctx, obj, node)


@method(ListType, "tolist", Arity(0, 0))
def tolist_of_list(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`xs.tolist()` of a list, which has no such method."""
    _refuse(ctx, node.func, receiver)


@field(ListType, "size")
def size_of_list(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`xs.size` of a list, which has no such field."""
    _refuse(ctx, node, obj)


def _refuse(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> NoReturn:
    assert isinstance(node, ast.Attribute)
    text, name = ast.unparse(node.value), node.attr
    instead = f"`list({text})`" if name == "tolist" else f"`len({text})`"
    ctx.fail("AC014", node, f"{text} is a {items.type}, which has no {name!r}", instead)
