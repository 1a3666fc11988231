"""Tensors of rank 3 with one size that is known, such as that of the heads in `q.reshape(n, heads,
d)`: a tuple of matrices, one for each index along that axis (`StackType`).

Operations are on matrices, so that each head is computed as if the author had sliced it. Where only
the instance knows another size, the matrices are lists of rows.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import ANY, RowsType, StackType, TensorType, TupleType
from .context import FunctionContext
from .emit import Attrs, Operands, make_tuple, tensor_op
from .rows import mapped, size_along, transposed


def matrices(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> tuple[T.Var, ...]:
    """The matrices of a stack."""
    assert isinstance(x, T.Var) and isinstance(x.type, StackType)
    t, found = x.type.matrix, list[T.Var]()
    whole = T.Var(x.name, TupleType((t,) * x.type.count), x.number)
    for i, known in enumerate(ctx.parts.get(x.number) or [None] * x.type.count):
        if known is None:
            known = ctx.let(T.GetItem(whole, i), t, node, "matrix")
        assert isinstance(known, T.Var) and isinstance(known.type, TensorType)
        found.append(T.Var(known.name, replace(known.type, mask=t.mask), known.number))
    return tuple(found)


def parts_of_stacks(
    ctx: FunctionContext, node: ast.AST, params: Sequence[T.Var]
) -> tuple[T.Stmt, ...]:
    """The statements that take the stacks among parameters apart, once for the whole function."""
    with ctx.region() as stmts:
        for x in params:
            if isinstance(x.type, StackType):
                ctx.parts[x.number] = matrices(ctx, node, x)
    return tuple(stmts)


def stacked(ctx: FunctionContext, node: ast.AST, parts: Sequence[T.Atom], axis: int) -> T.Var:
    """The stack of these matrices along an axis."""
    t = parts[0].type
    assert isinstance(t, TensorType) and len(t.dims) == 2
    made = make_tuple(ctx, tuple(parts), node, "stack")
    return T.Var(made.name, StackType.of(t, len(parts), axis), made.number)


def beside(axis: int, other: int) -> int:
    """The axis of the matrices that is the axis `other` of their stack along `axis`."""
    return other - (other > axis)


def size_of_stack(ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int) -> T.Atom:
    """The size of a stack along an axis of which only the instance knows it."""
    assert isinstance(x.type, StackType)
    return size_along(ctx, node, matrices(ctx, node, x)[0], beside(x.type.axis, axis))


def permuted(ctx: FunctionContext, node: ast.AST, x: T.Atom, order: Sequence[int]) -> T.Var:
    """The stack whose axis i is the axis `order[i]` of `x`."""
    assert isinstance(x.type, StackType)
    axis = x.type.axis
    first, last = (o for o in order if o != axis)
    parts: Sequence[T.Atom] = matrices(ctx, node, x)
    if first > last:
        parts = [tensor_op(ctx, "transpose", node, [(node, p)], mask=x.type.mask) for p in parts]
    return stacked(ctx, node, parts, list(order).index(axis))


def as_columns(ctx: FunctionContext, node: ast.AST, vectors: Sequence[T.Atom]) -> T.Atom:
    """The matrix with these vectors as its columns."""
    t = vectors[0].type
    assert isinstance(t, TensorType)
    if not isinstance(t, RowsType):
        return tensor_op(ctx, "transpose", node, [(node, as_rows(ctx, node, vectors))], mask=t.mask)
    one: Attrs = (("shape", (Dim.of(1),)),)

    def row(*numbers: T.Atom) -> T.Atom:
        ones: Operands = [
            (node, tensor_op(ctx, "reshape", node, [(node, n)], one)) for n in numbers
        ]
        return tensor_op(ctx, "concat", node, ones, mask=t.mask)

    return mapped(ctx, node, vectors, row)


def as_rows(ctx: FunctionContext, node: ast.AST, vectors: Sequence[T.Atom]) -> T.Atom:
    """The matrix with these vectors as its rows."""
    t = vectors[0].type
    assert isinstance(t, TensorType)
    if isinstance(t, RowsType):
        return transposed(as_columns(ctx, node, vectors))
    return tensor_op(ctx, "stack", node, [(node, v) for v in vectors], mask=t.mask)


def without_axis(
    ctx: FunctionContext, node: ast.AST, vectors: Sequence[T.Atom], axis: int, removed: int
) -> T.Atom:
    """What is left of a stack along `axis` of which another axis was removed, so that each of its
    matrices became one of `vectors`."""
    kept = 3 - axis - removed
    return (as_rows if axis < kept else as_columns)(ctx, node, vectors)


def refuse_stack(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, instead: str
) -> NoReturn:
    """The error for an operation that stacks do not have."""
    types = " and ".join(str(a.type) for _, a in operands)
    ctx.fail("AC010", node, f"{name} of {types}", instead)


def is_of_instance(x: StackType, axis: int) -> bool:
    """Whether only the instance knows the size of such a stack along an axis."""
    return x.dims[axis] == ANY
