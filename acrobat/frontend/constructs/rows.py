"""Row-wise operations on tensors whose size only the instance knows, and their construction."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.ops import POINTWISE
from ...ir.types import BOOL, FLOAT, INT, ListType, RowsType, TensorType
from ..context import FunctionContext
from ..decisions import one_element
from ..emit import ZERO, Operands, as_tensor, length, list_op, tensor_op
from ..fixed_sizes import with_fixed_sizes
from ..registry import rows_operation
from ..rows import (
    apply,
    as_rows,
    axes,
    item_at,
    listed,
    map_places,
    mapped,
    refuse_empty,
    refuse_sizes,
    rows_of_columns,
    softmax_over_items,
    tensor_of,
    transposed,
    wrong_shapes,
)
from ..rows_alignment import align
from .rows_chunks import pointwise_chunk
from .rows_reductions import log_of_sum
from .rows_softmax import note_power, softmax_written_out

Attrs = dict[str, T.AttrValue]


@rows_operation(*POINTWISE)
def pointwise(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """Point-wise operations with tensors of the same size or of size one, with a vector for every
    row, and with numbers."""
    if any(isinstance(a.type, RowsType) and axes(a) == "?n" for _, a in operands):
        operands = [(n, _only_row(ctx, n, a)) for n, a in operands]
    operands = with_fixed_sizes(ctx, node, operands)
    if not any(isinstance(a.type, RowsType) for _, a in operands):
        return tensor_op(ctx, name, node, operands)
    given, softmax = operands, softmax_written_out(ctx, name, node, operands)
    if softmax is not None:
        return softmax
    kind, columns, operands = _broadcast(ctx, operands)
    upright = [kind == "n?" and _is_upright(a) for _, a in operands]
    for (_, a), *known in zip(operands, columns, upright, strict=True):
        if any(known) or not isinstance(a.type, TensorType):
            continue
        if axes(a) != kind[len(kind) - len(axes(a)) :]:
            wrong_shapes(ctx, name, node, operands, "tensors of the same shape, or a vector a row")
    # A column of a matrix meets one number of each of its rows.
    pairs = zip(operands, upright, strict=True)
    operands = [(n, _numbers(ctx, n, a) if up else a) for (n, a), up in pairs]
    # Every item uses all of a lower-rank operand, unless the items lie along the last dimension.
    sliced = [
        column or (isinstance(a.type, RowsType) and (len(axes(a)) == len(kind) or kind == "n?"))
        for (_, a), column in zip(operands, columns, strict=True)
    ]
    sources = [a for (_, a), s in zip(operands, sliced, strict=True) if s]
    alignment = align(ctx, node, sources)

    def item(at: T.Atom) -> T.Atom:
        places = (alignment.place(ctx, node, i, at) for i in range(len(sources)))
        items = (item_at(ctx, node, s, p) for s, p in zip(sources, places, strict=True))
        parts = [(n, next(items) if s else a) for (n, a), s in zip(operands, sliced, strict=True)]
        return tensor_op(ctx, name, node, parts)

    items = map_places(ctx, node, alignment.stop, item)
    out = tensor_of(ctx, node, items, item, alignment.like)
    if kind == "n?":
        return transposed(out)
    if kind == "?":
        pointwise_chunk(ctx, name, node, [a for _, a in operands], alignment, out)
    note_power(ctx, name, given, out)
    return out


def _broadcast(ctx: FunctionContext, operands: Operands) -> tuple[str, list[bool], Operands]:
    """The axes of the result of a point-wise operation, which operands give one number for each of
    its rows, and the operands, in which sizes of 1 that meet an unknown one are left out."""
    tensors = [a for _, a in operands if isinstance(a.type, TensorType)]
    columns = [_is_single(a, "?n") for _, a in operands]
    rows = [_is_single(a, "n?") for _, a in operands]
    kinds = [axes(a) for a in tensors]
    kind = (
        "??"
        if "??" in kinds or (any(columns) and any(rows))
        else max(kinds, key=lambda k: (len(k), "?" in k))
    )
    if kind[-1] != "?":
        return kind, [False] * len(operands), operands
    if kind != "??":
        columns = rows = [False] * len(operands)
    given: Operands = []
    for (node, a), column, row in zip(operands, columns, rows, strict=True):
        if column or row:
            a = _elements(ctx, node, a)
        elif one_element(a) and 0 < len(axes(a)) <= len(kind):
            a = tensor_op(ctx, "reshape", node, [(node, a)], (("shape", ()),))
        given.append((node, a))
    return kind, columns, given


def _is_single(x: T.Atom, kind: str) -> bool:
    """Whether `x` has these axes, and the one of known size has length 1."""
    if not isinstance(x.type, RowsType) or axes(x) != kind:
        return False
    return any(d.known == 1 for d in x.type.dims)


def _is_upright(x: T.Atom) -> bool:
    """Whether `x` is a matrix of one column, and of a known number of rows."""
    t = x.type
    if not isinstance(t, TensorType) or isinstance(t, RowsType):
        return False
    return len(t.dims) == 2 and t.dims[1].known == 1


def _numbers(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    """Such a matrix as a vector."""
    assert isinstance(x.type, TensorType)
    shape = (("shape", x.type.dims[:1]),)
    return tensor_op(ctx, "reshape", node, [(node, x)], shape, x.type.mask)


def _elements(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    """The numbers in a matrix of one row or column, as a vector."""
    return mapped(ctx, node, [x], lambda item: apply(ctx, node, "lookup", item, ZERO))


def _only_row(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    """The row of a matrix that has exactly one; other values unchanged."""
    if not isinstance(x.type, TensorType) or isinstance(x.type, RowsType):
        return x
    matrix = len(x.type.dims) == 2 and x.type.dims[0].known == 1
    return apply(ctx, node, "lookup", x, ZERO) if matrix else x


@rows_operation("linear", "layer_norm", "softmax", "log_softmax", "rms_norm")
def by_row(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """Apply an operation to every row, with the same other operands."""
    (source, x), *rest = operands
    if any(isinstance(a.type, RowsType) for _, a in rest) or axes(x) not in ("?n", "??"):
        return over_items(ctx, name, node, operands, attrs)
    return mapped(ctx, node, [x], lambda row: tensor_op(ctx, name, node, [(source, row), *rest]))


def over_items(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """Apply softmax along the dimension that only the instance knows, or log_softmax of a vector;
    other operations are refused."""
    if name == "log_softmax" and axes(operands[0][1]) == "?":
        ((_, x),) = operands
        return apply(ctx, node, "sub", x, log_of_sum(ctx, node, x))
    if name != "softmax":
        wrong_shapes(ctx, name, node, operands, "its rows one by one, `[f(row) for row in m]`")
    ((_, x),) = operands
    out = softmax_over_items(ctx, node, x)
    return transposed(out) if axes(x) == "n?" else out


@rows_operation("transpose")
def transpose(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """`m.T`: the same list of items."""
    ((_, x),) = operands
    if axes(x) == "??":
        return rows_of_columns(ctx, node, x)
    if axes(x) not in ("?n", "n?"):
        wrong_shapes(ctx, name, node, operands, "a matrix with one size that is known")
    return transposed(x)


@rows_operation("stack")
def stack(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """`ops.stack(xs)` of a list of vectors, or of numbers as tensors."""
    if len(operands) != 1 or not isinstance(operands[0][1].type, ListType):
        wrong_shapes(ctx, name, node, operands, "`ops.stack(xs)` of a list of vectors")
    ((source, xs),) = operands
    assert isinstance(xs, T.Var) and isinstance(xs.type, ListType)
    item = xs.type.item
    if item == FLOAT:
        refuse_empty(ctx, node, xs)
        return as_rows(_tensors(ctx, node, xs), TensorType(()))
    if isinstance(item, ListType) and item.item in (FLOAT, TensorType(())):
        refuse_empty(ctx, node, xs)
        return _rows_of_numbers(ctx, node, xs)
    if not isinstance(item, TensorType) or len(item.dims) > 1 or isinstance(item, RowsType):
        ctx.fail(
            "AC010",
            source,
            f"stack of a {xs.type}",
            "a list of vectors of one size, which become the rows of a matrix",
        )
    refuse_empty(ctx, node, xs)
    return as_rows(xs, item)


def _rows_of_numbers(ctx: FunctionContext, node: ast.AST, xs: T.Var) -> T.Var:
    """Lists of numbers, which must be equally long, as the rows of a matrix."""
    assert isinstance(xs.type, ListType) and isinstance(xs.type.item, ListType)
    t = xs.type.item
    first = length(ctx, list_op(ctx, "get", (xs, ZERO), t, node), node)

    def row(at: T.Atom) -> T.Atom:
        numbers = list_op(ctx, "get", (xs, at), t, node)
        size = length(ctx, numbers, node)
        wrong = ctx.let(T.Scalar("!=", (size, first)), BOOL, node, "wrong")
        refuse_sizes(ctx, node, wrong, first, size)
        if t.item == FLOAT:
            numbers = _tensors(ctx, node, numbers)
        return as_rows(numbers, TensorType(()))

    items = map_places(ctx, node, length(ctx, xs, node), row)
    return as_rows(items, RowsType.of(TensorType(())))


def _tensors(ctx: FunctionContext, node: ast.AST, numbers: T.Var) -> T.Var:
    """A list of floats as a list of tensors of rank 0."""
    index, item = T.Var("i", INT), TensorType(())
    with ctx.region() as stmts:
        number = list_op(ctx, "get", (numbers, index), FLOAT, node)
        made = as_tensor(ctx, node, number)
    out = T.Var("items", ListType(item))
    region = T.Region(tuple(stmts), T.Yield((made,)))
    stop = length(ctx, numbers, node)
    ctx.stmts.append(T.Map((out,), index, stop, region, False, ctx.span(node)))
    return out


@rows_operation("lookup")
def row(ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs) -> T.Var:
    """`m[i]`: a row, or an element of a vector."""
    (_, x), (_, index) = operands
    if axes(x) == "n?":
        return mapped(ctx, node, [x], lambda item: apply(ctx, node, "lookup", item, index))
    if axes(x) not in ("?n", "?", "??"):
        wrong_shapes(ctx, "a row", node, operands[:1], "a row of the matrix that it is made of")
    items = listed(x)
    assert isinstance(items.type, ListType)
    return list_op(ctx, "get", (items, index), items.type.item, node)


@rows_operation("slice")
def part(ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs) -> T.Var:
    """`m[:, a:b]`: columns, row by row."""
    ((source, x),) = operands
    if axes(x) != "?n" or attrs.get("axis", 0) != 1:
        wrong_shapes(ctx, "a part", node, operands, "`m[a:b]`, or `m[:, a:b]` of known columns")
    bounds = tuple((k, v) for k, v in attrs.items() if k != "axis")
    return mapped(ctx, node, [x], lambda r: tensor_op(ctx, "slice", node, [(source, r)], bounds))
