"""Eight elements of a vector at once; the vector itself need not be computed."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import ListType, RowsType
from ..context import FunctionContext
from ..emit import list_op, tensor_op
from ..rows import apply, facts, listed
from ..rows_alignment import Alignment


def chunk(ctx: FunctionContext, node: ast.AST, x: T.Atom, places: Sequence[T.Atom]) -> T.Var:
    """The elements of the vector `x` at `places`, as a vector."""
    made = facts(ctx, x).chunk
    if made is not None:
        return made(places)
    items = _items(ctx, node, x, places)
    one = (("shape", (Dim.of(1),)),)
    parts = [tensor_op(ctx, "reshape", node, [(node, i)], one) for i in items]
    return tensor_op(ctx, "concat", node, [(node, p) for p in parts])


def rows_chunk(ctx: FunctionContext, node: ast.AST, m: T.Atom, places: Sequence[T.Atom]) -> T.Var:
    """The rows of `m` at `places`, as a matrix."""
    return apply(ctx, node, "stack", *_items(ctx, node, m, places))


def _items(ctx: FunctionContext, node: ast.AST, x: T.Atom, places: Sequence[T.Atom]) -> list[T.Var]:
    items = listed(x)
    assert isinstance(items.type, ListType)
    return [list_op(ctx, "get", (items, at), items.type.item, node) for at in places]


def pointwise_chunk(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Sequence[T.Atom],
    alignment: Alignment,
    out: T.Var,
) -> None:
    """Note how eight elements of `out` are computed from those of its aligned operands."""

    def made(places: Sequence[T.Atom]) -> T.Var:
        parts, vectors = [], count()
        for a in operands:
            if isinstance(a.type, RowsType):
                i = next(vectors)
                a = chunk(ctx, node, a, [alignment.place(ctx, node, i, at) for at in places])
            parts.append(a)
        return apply(ctx, node, name, *parts)

    ctx.rows[out.number] = replace(ctx.rows[out.number], chunk=made)


def product_chunk(ctx: FunctionContext, node: ast.AST, q: T.Atom, keys: T.Atom, out: T.Var) -> None:
    """Note how eight elements of `out`, the products of `q` with the rows `keys`, are computed."""

    def made(places: Sequence[T.Atom]) -> T.Var:
        return apply(ctx, node, "matmul", rows_chunk(ctx, node, keys, places), q)

    ctx.rows[out.number] = replace(ctx.rows[out.number], chunk=made)
