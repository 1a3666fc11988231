"""`m[i]`, `m[a:b]`, `m.shape[0]`, `m.T`, `for row in m`, where only the instance knows the size."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, ListType, RowsType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import ZERO, list_op
from ..iteration_space import IterationSpace
from ..registry import FIELDS, METHODS, Method, field, iterated, method, subscript
from ..rows import as_rows, axes, count, listed, transposed, wrong_shapes
from ..scope import Env
from . import tensor_methods as tensor_methods
from .tensor_parts import tensor_item


@subscript(RowsType)
def rows_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`m[i]`, `m[a:b]`, `m[i, j]`, `m[:, j]`, `m[:, a:b]`."""
    index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    first, *rest = index
    if axes(obj) not in ("?n", "?") or len(rest) >= len(axes(obj)):
        wrong_shapes(ctx, "a part", node, [(node.value, obj)], "`m[i]`, `m[a:b]`, `m[:, a:b]`")
    if not isinstance(first, ast.Slice):
        value = tensor_item(ctx, _indexed(node, [first]), obj, env)
        return tensor_item(ctx, _indexed(node, rest), value, env) if rest else value
    obj = _rows(ctx, node, obj, first, env)
    if not rest:
        return obj
    if isinstance(rest[0], ast.Slice):
        return tensor_item(ctx, _indexed(node, [ast.Slice(), rest[0]]), obj, env)
    return tensor_item(ctx, _indexed(node, rest), transposed(obj), env)


def _indexed(node: ast.Subscript, index: list[ast.expr]) -> ast.Subscript:
    """`node` with another index."""
    slice_ = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
    return ast.copy_location(ast.Subscript(node.value, slice_, ast.Load()), node)


def _rows(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: ast.Slice, env: Env
) -> T.Atom:
    """`m[a:b]`, whose bounds the instance may compute."""
    if index.lower is None and index.upper is None and index.step is None:
        return obj
    if index.step is not None:
        ctx.fail("AC002", index, "a slice of rows with a step", "`m[a:b]`")
    items = listed(obj)
    bounds: list[T.Atom] = [ZERO, count(ctx, node, obj)]
    for i, part in enumerate((index.lower, index.upper)):
        if part is not None:
            bounds[i] = ctx.expression(part, env)
            if bounds[i].type != INT:
                found = f"a bound of a slice is an int, this is {bounds[i].type}"
                ctx.fail("AC017", part, found, "an int")
    assert isinstance(obj.type, RowsType)
    return as_rows(list_op(ctx, "slice", (items, *bounds), items.type, node), obj.type.item)


@iterated(RowsType)
def over_rows(ctx: FunctionContext, node: ast.expr, x: T.Atom) -> IterationSpace:
    """`for row in m`."""
    if axes(x) not in ("?n", "?"):
        wrong_shapes(ctx, "a loop", node, [(node, x)], "the rows of the matrix that it is made of")
    items = listed(x)
    assert isinstance(items.type, ListType)
    item = items.type.item
    return IterationSpace.count(
        count(ctx, node, x), lambda i: list_op(ctx, "get", (items, i), item, node)
    )


def _of_operation(name: str, tensors: Method) -> None:
    """Register the method `tensors`, which is an operation, for `RowsType` as well."""

    def lower(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
        if name in _NUMBERS and is_mask(x):
            ctx.fail("AC017", node, f"{name} of a {x.type}", "`any` and `all`")
        return tensors.lower(ctx, node, x, env)

    method(RowsType, name, tensors.arity)(lower)


# Of a mask that is a plain tensor, these return a mask; of `RowsType` this is refused.
_NUMBERS = ("max", "min", "reshape")

for (_receiver, _name), _method in list(METHODS.items()):
    if _receiver is TensorType:
        _of_operation(_name, _method)
for (_receiver, _name), _field in list(FIELDS.items()):
    if _receiver is TensorType:
        field(RowsType, _name)(_field)
