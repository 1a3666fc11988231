"""`x[...]`, and the parts of tuples. Lists are in `lists`, tensors in `tensor_parts`."""

from __future__ import annotations

import ast
import enum
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.type_queries import run_time_value
from ...ir.types import NOTHING, ListType, NamedTupleType, TensorType, TupleType, Type
from ..context import MISSING, FunctionContext
from ..emit import list_op, make_tuple
from ..presence import not_none
from ..registry import SUBSCRIPTS, expression, subscript
from ..scope import Env
from ..sizes import constant, constant_item, shape_item
from ..written import placed
from .constants import has_numbers, outside_value
from .effects_once import index_with_values
from .int_tables import item_of_table
from .lists import list_item
from .lookups import large, looked_up
from .numpy_makers import row_of_identity
from .weight_uses import item_of_chosen


@expression(ast.Subscript)
def subscripted(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom:
    """`x[i]`, `x[a:b]`, `x[:, a:b]` of tuples, lists, dicts and tensors; `x.shape[i]`."""
    node = index_with_values(ctx, node, env)
    match node.value:
        case ast.Call(func, [x], []) if ctx.static(func, env) is np.shape:
            size = ast.copy_location(ast.Attribute(x, "shape", ast.Load()), node)
            node = ast.copy_location(ast.Subscript(size, node.slice, node.ctx), node)
    of_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if of_shape and ctx.static(node.value, env) is MISSING:
        return shape_item(ctx, node, env)
    table = item_of_table(ctx, node, env)
    if table is not None:
        return table
    identity = row_of_identity(ctx, node, env)
    if identity is not None:
        return ctx.expression(placed(identity, node), env)
    known = ctx.static(node, env)
    if known is MISSING:
        known = constant_item(ctx, node, env)
        if isinstance(known, (bool, int, float, str)):
            return outside_value(ctx, node, known, ast.unparse(node))
    if isinstance(known, enum.Enum):
        return outside_value(ctx, node, known, ast.unparse(node))
    chosen = item_of_chosen(ctx, node, env)
    if chosen is not None:
        return chosen
    found = None if isinstance(node.slice, ast.Slice) else large(ctx, node.value, env)
    looked = None if found is None else _looked_up(ctx, node, found, env)
    if looked is not None:
        return looked
    obj = _numbers(ctx, node, env) or ctx.peek(node.value, env)
    obj = not_none(ctx, node.value, obj, env)
    handler = SUBSCRIPTS.get(type(obj.type))
    if handler is None:
        ctx.fail("AC027", node, f"a {obj.type} has no items", "a tuple, a list or a tensor")
    return handler(ctx, node, obj, env)


def _looked_up(ctx: FunctionContext, node: ast.Subscript, found: Any, env: Env) -> T.Atom | None:
    if isinstance(found, (set, frozenset)) or constant(ctx, node.slice, env) is not None:
        return None  # no subscript at all, or an item that is known
    return looked_up(ctx, node, node.value, found, node.slice, env)


def _as_list(ctx: FunctionContext, node: ast.AST, obj: T.Var) -> T.Var | None:
    """A tuple as a list, if its parts are of one type; None if they are not."""
    assert isinstance(obj.type, TupleType)
    t: Type = NOTHING
    for item in obj.type.items:
        both = join(t, item)
        if both is None or not run_time_value(both):
            return None
        t = both
    parts = [ctx.let(T.GetItem(obj, i), p, node, "part") for i, p in enumerate(obj.type.items)]
    return list_op(ctx, "make", tuple(parts), ListType(t), node)


def _numbers(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom | None:
    """The numpy vector that `node` takes one number from, as a list; None if it is not one."""
    if isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return None
    value = ctx.static(node.value, env)
    if not isinstance(value, np.ndarray) or value.ndim != 1 or not has_numbers(value):
        return None
    return outside_value(ctx, node.value, value.tolist(), ast.unparse(node.value))


@subscript(NamedTupleType)
@subscript(TupleType)
def tuple_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`t[0]`: a part of a tuple, chosen when the model is compiled; `t[1:]`."""
    assert isinstance(obj.type, TupleType) and isinstance(obj, T.Var)
    items = obj.type.items

    def part(at: int) -> T.Var:
        return ctx.let(T.GetItem(obj, at), items[at], node, "part")

    if isinstance(node.slice, ast.Slice):
        bounds = [node.slice.lower, node.slice.upper, node.slice.step]
        known = [None if b is None else constant(ctx, b, env) for b in bounds]
        for bound, number in zip(bounds, known, strict=True):
            if bound is not None and number is None:
                ctx.fail("AC002", bound, "the parts of a tuple are chosen by numbers", "`t[1:]`")
        if known[2] == 0:
            ctx.fail("AC002", node.slice, "a slice with step 0", "`t[1:]`")
        chosen = range(len(items))[slice(*known)]
        return make_tuple(ctx, tuple(map(part, chosen)), node, "parts")
    at = constant(ctx, node.slice, env)
    if at is None and not all(map(run_time_value, items)):
        ctx.fail(
            "AC002",
            node.slice,
            f"one of {len(items)} sets of weights, chosen at run time",
            f"a name for it, `layer = {ast.unparse(node)}`, and what is done with that",
        )
    if at is None and items and not isinstance(items[0], TensorType):
        chosen_from = _as_list(ctx, node, obj)
        if chosen_from is not None:
            return list_item(ctx, node, chosen_from, env)
    weights = isinstance(items[0], TensorType) if items else False
    table = "; or one weight with an axis more, `p.w[i]`" if at is None and weights else ""
    if at is None or not -len(items) <= at < len(items):
        ctx.fail(
            "AC002",
            node.slice,
            f"an item of {obj.type} is chosen by a number from 0 to {len(items) - 1} written out",
            f"`{', '.join('abcdefgh'[: len(items)])} = {ast.unparse(node.value)}`, and a name"
            + table,
        )
    return part(at % len(items))
