"""Tensors one after the other where only the instance knows how many there are, or their sizes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import ANY, INT, ListType, RowsType, TensorType
from ..context import FunctionContext
from ..emit import Operands, int_op, length, list_op, tensor_op
from ..registry import rows_operation
from ..rows import as_rows, axes, listed, map_places, mapped, refuse_empty, wrong_shapes

_MOST_ROWS = 64  # of a matrix of known size; each is an operand


@rows_operation("concat")
def concat(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: dict[str, T.AttrValue],
) -> T.Var:
    """`ops.concat(a, b, axis=0)`: the rows of one matrix, then those of the other; along the last
    axis, row by row."""
    values = [a for _, a in operands]
    if len(operands) == 1 and isinstance(values[0].type, ListType):
        return _of_list(ctx, node, operands, attrs)
    if not all(isinstance(a.type, TensorType) for a in values):
        wrong_shapes(ctx, name, node, operands, "tensors, all of one rank")
    if attrs.get("axis") == 0 or "?" in map(axes, values):
        values = [_as_list_of_rows(ctx, node, a) for a in values]
    kinds = {str(a.type) for a in values}
    shapes = {axes(a) for a in values}
    if shapes == {"?n"} and attrs.get("axis", -1) in (-1, 1):
        return mapped(
            ctx,
            node,
            values,
            lambda *rows: tensor_op(ctx, "concat", node, [(node, r) for r in rows]),
        )
    if len(kinds) > 1 or shapes not in ({"?n"}, {"?"}):
        wrong_shapes(ctx, name, node, operands, "matrices whose rows are vectors of one size")
    whole = listed(values[0])
    for other in values[1:]:
        whole = list_op(ctx, "concat", (whole, listed(other)), whole.type, node)
    assert isinstance(values[0].type, RowsType)
    return as_rows(whole, values[0].type.item)


def _as_list_of_rows(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    """A tensor of known size as one whose size only the instance knows; any other as it is."""
    t = x.type
    if not isinstance(t, TensorType) or isinstance(t, RowsType) or not t.dims:
        return x
    count = t.dims[0].bind(ctx.builder.sizes).known
    if count is None or not 0 < count <= _MOST_ROWS:
        return x
    item = TensorType(t.dims[1:], t.mask)
    rows = [
        tensor_op(ctx, "lookup", node, [(node, x), (node, T.Const(i, INT))], mask=t.mask)
        for i in range(count)
    ]
    return as_rows(list_op(ctx, "make", tuple(rows), ListType(item), node), item)


def _of_list(
    ctx: FunctionContext, node: ast.AST, operands: Operands, attrs: dict[str, T.AttrValue]
) -> T.Var:
    """A list of vectors, or along axis 0 of matrices, of any length but 0."""
    ((_, xs),) = operands
    assert isinstance(xs, T.Var) and isinstance(xs.type, ListType)
    t = xs.type.item
    if not isinstance(t, TensorType) or (len(t.dims) == 2 and attrs.get("axis") != 0):
        instead = "`ops.stack(xs)`, whose rows are the vectors"
        wrong_shapes(ctx, "concat", node, operands, instead)
    size = t.dims[0].bind(ctx.builder.sizes).known if t.dims else None
    of_instance = isinstance(t, RowsType) and t.dims[0] == ANY and t.dims[1:] != (ANY,)
    if len(t.dims) not in (1, 2) or (size is None and not of_instance):
        wrong_shapes(ctx, "concat", node, operands, "vectors, or matrices along axis 0")
    refuse_empty(ctx, node, xs)
    if isinstance(t, RowsType):
        lists = T.Var(xs.name, ListType(ListType(t.item)), xs.number)
        return as_rows(list_op(ctx, "flatten", (lists,), ListType(t.item), node), t.item)
    each = T.Const(size or 0, INT)
    stop = int_op(ctx, "*", (length(ctx, xs, node), each), node)
    items = map_places(ctx, node, stop, _element_of(ctx, node, xs, t, each))
    return as_rows(items, TensorType(t.dims[1:], t.mask))


def _element_of(
    ctx: FunctionContext, node: ast.AST, xs: T.Var, t: TensorType, each: T.Const
) -> Callable[[T.Atom], T.Atom]:
    """An element or a row of the tensors in a list, counted from the first one on."""

    def at(place: T.Atom) -> T.Atom:
        which = int_op(ctx, "//", (place, each), node)
        inside = int_op(ctx, "%", (place, each), node)
        one = list_op(ctx, "get", (xs, which), t, node)
        return tensor_op(ctx, "lookup", node, [(node, one), (node, inside)], mask=t.mask)

    return at
