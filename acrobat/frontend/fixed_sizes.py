"""Tensors whose size only the instance knows, combined with tensors of known size: they must have
that size, or the instance is at fault.

A list with one vector per cell of a board has as many vectors as the weights require, which no hint
can say: `p.w_token @ ops.stack(rows)`. Where a value is the one or the other, only the instance
knows the size of it: `np.stack(rows) if rows else p.start[None]`.
"""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import ANY, BOOL, INT, ListType, RowsType, TensorType, Type
from .context import FunctionContext
from .emit import Operands, list_op, tensor_op
from .rows import apply, as_rows, axes, count, item_at, mapped, refuse_sizes, transposed

# The largest such size: every item is an operand of its own.
MOST = 64


def fixed(ctx: FunctionContext, node: ast.AST, x: T.Atom, size: int) -> T.Var:
    """`x` as a tensor of `size` items."""
    if axes(x) == "n?":
        return apply(ctx, node, "transpose", fixed(ctx, node, transposed(x), size))
    wanted, n = T.Const(size, INT), count(ctx, node, x)
    refuse_sizes(ctx, node, ctx.let(T.Scalar("!=", (wanted, n)), BOOL, node, "wrong"), wanted, n)
    items = [item_at(ctx, node, x, T.Const(i, INT)) for i in range(size)]
    if axes(x) == "?n":
        return tensor_op(ctx, "stack", node, [(node, i) for i in items])
    one = (("shape", (Dim.of(1),)),)
    elements = [tensor_op(ctx, "reshape", node, [(node, i)], one) for i in items]
    return tensor_op(ctx, "concat", node, [(node, e) for e in elements])


def as_unknown(ctx: FunctionContext, node: ast.AST, x: T.Atom, wanted: Type) -> T.Var:
    """A tensor of known size as one of type `wanted`, whose size only the instance knows."""
    t, size = x.type, size_of(wanted, x.type)
    assert isinstance(t, TensorType) and isinstance(wanted, RowsType) and size is not None
    if wanted.dims[0] != ANY:
        turned = tensor_op(ctx, "transpose", node, [(node, x)], mask=t.mask)
        other = RowsType(wanted.dims[::-1], t.mask)
        return transposed(as_unknown(ctx, node, turned, other))
    item = TensorType(t.dims[1:], t.mask)
    rows = [
        tensor_op(ctx, "lookup", node, [(node, x), (node, T.Const(i, INT))], mask=t.mask)
        for i in range(size)
    ]
    return as_rows(list_op(ctx, "make", tuple(rows), ListType(item), node), item)


def size_of(t: Type, wanted: Type) -> int | None:
    """The size of the unknown dimension of `t` where `wanted` is expected, if all else is equal."""
    if not isinstance(t, RowsType) or not isinstance(wanted, TensorType):
        return None
    if isinstance(wanted, RowsType) or len(t.dims) != len(wanted.dims) or t.mask != wanted.mask:
        return None
    pairs = list(zip(t.dims, wanted.dims, strict=True))
    met = [w.known for d, w in pairs if d == ANY]
    same = all(d in (ANY, w) for d, w in pairs)
    return met[0] if same and len(met) == 1 and met[0] is not None and met[0] <= MOST else None


def may_be_fixed(x: T.Atom, size: int | None) -> bool:
    """Whether `x` has a single unknown dimension, and it may be `size`."""
    rows = isinstance(x.type, RowsType) and axes(x).count("?") == 1
    return rows and size is not None and 1 < size <= MOST


def with_fixed_sizes(ctx: FunctionContext, node: ast.AST, operands: Operands) -> Operands:
    """The operands of a point-wise operation; an unknown size that meets a known one is fixed."""
    found: Operands = []
    operands = [(n, _with_columns(ctx, node, x, operands)) for n, x in operands]
    for source, x in operands:
        size = _met(x, [other for _, other in operands if other is not x])
        whole = size is not None and may_be_fixed(x, size)
        found.append((source, fixed(ctx, node, x, size) if whole and size is not None else x))
    return found


def fixed_columns(ctx: FunctionContext, node: ast.AST, x: T.Atom, size: int) -> T.Var:
    """A matrix both sizes of which only the instance knows, with `size` columns."""
    return mapped(ctx, node, [x], lambda row: fixed(ctx, node, row, size))


def _with_columns(ctx: FunctionContext, node: ast.AST, x: T.Atom, operands: Operands) -> T.Atom:
    """Such a matrix with as many columns as another operand is known to have."""
    if not isinstance(x.type, RowsType) or axes(x) != "??":
        return x
    for _, other in operands:
        dims = other.type.dims if isinstance(other.type, TensorType) else ()
        size = dims[-1].known if dims else None
        if size is not None and 1 < size <= MOST:
            return fixed_columns(ctx, node, x, size)
    return x


def _met(x: T.Atom, others: list[T.Atom]) -> int | None:
    """The number of items of `x` according to the other operands, aligned at the last axis."""
    if not isinstance(x.type, RowsType):
        return None
    for behind, dim in enumerate(reversed(x.type.dims), start=1):
        if dim != ANY:
            continue
        for other in others:
            dims = other.type.dims if isinstance(other.type, TensorType) else ()
            size = dims[-behind].known if len(dims) >= behind else None
            if size is not None and size != 1:
                return size
    return None
