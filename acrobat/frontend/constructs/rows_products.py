"""`a @ b` where only the instance knows a size."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.reduction_tree import folds
from ...ir.types import ANY, TensorType
from ..context import FunctionContext
from ..emit import Operands
from ..fixed_sizes import MOST, fixed, fixed_columns, may_be_fixed
from ..registry import rows_operation
from ..rows import apply, axes, by_tree, facts, map_items, mapped, reduced, transposed, wrong_shapes
from .rows_attention import softmax_weighted
from .rows_chunks import product_chunk


@rows_operation("outer")
def outer(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: dict[str, T.AttrValue],
) -> T.Var:
    """`np.outer(x, y)` of vectors: `y` times each number of `x`."""
    (_, x), (_, y) = operands
    if any(not isinstance(v.type, TensorType) or len(v.type.dims) != 1 for v in (x, y)):
        wrong_shapes(ctx, name, node, operands, "vectors")
    if axes(x) == "?":
        return mapped(ctx, node, [x], lambda number: apply(ctx, node, "mul", number, y))
    return transposed(mapped(ctx, node, [y], lambda number: apply(ctx, node, "mul", x, number)))


@rows_operation("matmul")
def product(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: dict[str, T.AttrValue],
) -> T.Var:
    """A product that sums over a known size, or over one that only the instance knows."""
    (_, a), (_, b) = operands
    for x in (a, b):
        if not isinstance(x.type, TensorType) or not 1 <= len(x.type.dims) <= 2:
            wrong_shapes(ctx, name, node, operands, "vectors and matrices")
    assert isinstance(a.type, TensorType) and isinstance(b.type, TensorType)
    columns, rows = a.type.dims[-1], b.type.dims[0]
    if columns != rows:
        if rows == ANY and may_be_fixed(b, columns.known):
            assert columns.known is not None
            return apply(ctx, node, "matmul", a, fixed(ctx, node, b, columns.known))
        if axes(a) == "??" and rows.known is not None and 1 < rows.known <= MOST:
            return apply(ctx, node, "matmul", fixed_columns(ctx, node, a, rows.known), b)
        if columns == ANY and may_be_fixed(a, rows.known):
            assert rows.known is not None
            return apply(ctx, node, "matmul", fixed(ctx, node, a, rows.known), b)
        wrong_shapes(ctx, name, node, operands, "as many columns as there are rows")

    def matmul(x: T.Atom, y: T.Atom) -> T.Var:
        return apply(ctx, node, "matmul", x, y)

    match axes(a), axes(b):
        case ("?n", _) | ("??", "?" | "?n"):  # each row by itself
            out = mapped(ctx, node, [a], lambda row: matmul(row, b))
            if axes(b) == "n":
                product_chunk(ctx, node, b, a, out)
            return out
        case "n", "n?":  # the rows of the transposed matrix
            out = mapped(ctx, node, [b], lambda row: matmul(row, a))
            product_chunk(ctx, node, a, b, out)
            return out
        case "nn", "n?":
            return transposed(mapped(ctx, node, [b], lambda row: matmul(a, row)))
        case "?", "?n" if facts(ctx, a).softmax_of is not None:
            return softmax_weighted(ctx, node, a, b)
        case ("?" | "n?", "?") | ("?", "?n"):  # a sum of products over the unknown size
            terms = mapped(ctx, node, [a, b], lambda x, y: apply(ctx, node, "mul", x, y))
            return reduced(ctx, node, "add", terms)
        case "n?", "?n":
            products = map_items(ctx, node, [a, b], lambda x, y: apply(ctx, node, "outer", x, y))
            (total,) = by_tree(ctx, node, folds(["add"]), [products])
            assert isinstance(total, T.Var)
            return total
    wrong_shapes(ctx, name, node, operands, "one of the rows at a time")
