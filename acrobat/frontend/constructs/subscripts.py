"""`x[...]` of tuples and tensors: parts, rows, elements, slices. Lists are in `lists`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import INT, TensorType, TupleType
from ..context import FunctionContext
from ..emit import Attrs, tensor_op
from ..registry import SUBSCRIPTS, expression, subscript
from ..scope import Env
from ..sizes import dimension, literal, shape_item


@expression(ast.Subscript)
def subscripted(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom:
    """`x[i]`, `x[a:b]`, `x[:, a:b]` of tuples, lists and tensors; `x.shape[i]`."""
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return shape_item(ctx, node, env)
    obj = ctx.peek(node.value, env)
    handler = SUBSCRIPTS.get(type(obj.type))
    if handler is None:
        ctx.fail("AC027", node, f"a {obj.type} has no items", "a tuple, a list or a tensor")
    return handler(ctx, node, obj, env)


@subscript(TupleType)
def tuple_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Var:
    """`t[0]`: a part of a tuple, chosen when the model is compiled."""
    assert isinstance(obj.type, TupleType) and isinstance(obj, T.Var)
    items = obj.type.items
    at = literal(ctx, node.slice)
    if at is None or not -len(items) <= at < len(items):
        ctx.fail(
            "AC002",
            node.slice,
            f"an item of {obj.type} is chosen by a number from 0 to {len(items) - 1} written out",
            f"`{', '.join('abcdefgh'[: len(items)])} = {ast.unparse(node.value)}`, and a name",
        )
    at %= len(items)
    return ctx.let(T.GetItem(obj, at), items[at], node, "part")


@subscript(TensorType)
def tensor_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Var:
    """`x[i]`, `x[a:b]`, `x[:, a:b]`."""
    assert isinstance(obj.type, TensorType)
    if isinstance(node.slice, ast.Slice):
        return _slice(ctx, node, obj, node.slice, 0, env)
    if isinstance(node.slice, ast.Tuple):
        return _columns(ctx, node, obj, node.slice, env)
    if not obj.type.dims:
        ctx.fail("AC027", node, f"a {obj.type} has no items", "`ops.item(x)` for its number")
    row = ctx.expression(node.slice, env)
    if row.type != INT:
        ctx.fail(
            "AC017",
            node.slice,
            f"a row of {ast.unparse(node.value)} is chosen by an int, this is {row.type}",
            "an int field of the instance",
        )
    return tensor_op(ctx, "lookup", node, [(node.value, obj), (node.slice, row)])


def _columns(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: ast.Tuple, env: Env
) -> T.Var:
    """`x[:, a:b]`."""
    assert isinstance(obj.type, TensorType)
    match index.elts:
        case [ast.Slice(None, None, None), ast.Slice() as columns] if len(obj.type.dims) == 2:
            return _slice(ctx, node, obj, columns, 1, env)
    ctx.fail(
        "AC002",
        node,
        f"this way to take a part of {obj.type} is not part of the language",
        "`x[a:b]` for rows, `x[:, a:b]` for columns, `x[i]` for a row",
    )


def _slice(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: ast.Slice, axis: int, env: Env
) -> T.Var:
    """Elements, rows or columns a to b."""
    assert isinstance(obj.type, TensorType)
    if index.step is not None:
        ctx.fail("AC002", index, "a slice with a step is not supported yet", "`x[a:b]`")
    if len(obj.type.dims) not in (1, 2):
        ctx.fail("AC002", node, f"a slice of {obj.type}", "slice a vector or a matrix")
    total = obj.type.dims[axis]
    bounds: list[Dim] = []
    for part, default in ((index.lower, Dim.of(0)), (index.upper, total)):
        if part is None:
            bounds.append(default)
            continue
        number = dimension(ctx, part, env)
        if number is None:
            ctx.fail(
                "AC002",
                part,
                "the bounds of a slice are numbers known when the model is compiled",
                "a number, or `ops.split(x, n)` for equal parts",
            )
        known = number.known
        bounds.append(total + number if known is not None and known < 0 else number)
    attrs: Attrs = (("start", bounds[0]), ("stop", bounds[1]))
    if len(obj.type.dims) > 1:
        attrs = (("axis", axis), *attrs)
    return tensor_op(ctx, "slice", node, [(node.value, obj)], attrs)
