"""Products: with a weight that all nodes share, or with a matrix of the node's own."""

from __future__ import annotations

from ...ir import typed as T
from ...ir.types import TensorType
from ..specification.expr import Load, LoadShared, Product
from .context import Context
from .movement import transposed
from .pointwise import pointwise
from .values import Segment, Value


def lower_contraction(context: Context, op: T.Op, out: T.Var) -> Value:
    """`matmul` and `linear`."""
    right = op.args[1]
    assert isinstance(right, T.Var) and isinstance(right.type, TensorType)
    left = context.value(op.args[0])
    if right in context.shared and len(right.type.dims) == 2:
        result = by_weight(context, left, context.shared[right], right.type.dims[1].known or 0)
    elif len(right.type.dims) == 2:
        result = by_matrix(context, left, context.value(right))
    else:
        result = by_vector(context, left, context.value(right))
    if len(op.args) == 3:
        result = pointwise(context, "add", [result, context.value(op.args[2])])
    return result


def by_weight(context: Context, left: Value, weight: str, columns: int) -> Value:
    """left @ W for a weight that is packed for the kernel. A contraction of a concatenation is the
    sum of contractions of its parts."""
    terms: list[Product] = []
    row = 0
    for width, x in _in_memory(context, left):
        terms.append(
            Product(x.region, x.start, width, x.row_stride, x.col_stride, row, 0, weight=weight)
        )
        row += width
    return Value(left.rows, ((columns, context.pool.contraction(terms)),))


def by_matrix(context: Context, left: Value, right: Value) -> Value:
    """left @ right for a matrix of the node's own."""
    if left.rows == 1 and len(right.segments) == 1:
        ((_, e),) = right.segments
        if isinstance(e, Load | LoadShared) and e.row_stride == 1 and e.col_stride != 1:
            # x @ A^T: the columns of the right side are rows in memory.
            return by_vector(context, transposed(context, right), left)
    columns_of = _rows_in_memory(context, right)
    parts = _in_memory(context, left)
    segments: list[Segment] = []
    for columns, b in columns_of:
        terms: list[Product] = []
        row = 0
        for width, x in parts:
            terms.append(
                Product(
                    x=x.region,
                    offset=x.start,
                    k=width,
                    row_stride=x.row_stride,
                    k_stride=x.col_stride,
                    row=b.row_stride,
                    col=b.start + row * b.row_stride,
                    matrix=b.region,
                )
            )
            row += width
        segments.append((columns, context.pool.contraction(terms)))
    return Value(left.rows, tuple(segments))


def _in_memory(context: Context, value: Value) -> list[tuple[int, Load]]:
    """The segments of `value`, each an array in memory."""
    found: list[tuple[int, Load]] = []
    for width, e in context.placing.in_memory(value).segments:
        assert isinstance(e, Load)
        found.append((width, e))
    return found


def _rows_in_memory(context: Context, matrix: Value) -> list[tuple[int, Load]]:
    """The segments of `matrix`, each in memory with contiguous rows."""
    found: list[tuple[int, Load]] = []
    for width, e in matrix.segments:
        if not isinstance(e, Load) or e.col_stride != 1:
            whole = context.placing.stored_whole(matrix)
            return [(whole.width, context.placing.load(whole))]
        found.append((width, e))
    return found


def by_vector(context: Context, left: Value, right: Value) -> Value:
    """left @ right for a vector: every row of the left side times the vector, summed."""
    placing = context.placing
    products = pointwise(context, "mul", [placing.plain(left), placing.plain(right)])
    if len(products.segments) > 1:
        products = placing.one_segment(placing.store(products, True))
    ((width, e),) = products.segments
    total = Value(products.rows, ((1, context.pool.reduction("rsum", width, e)),))
    if products.rows == 1:
        return total
    # One number per row: as a vector, these are the columns.
    return transposed(context, placing.store(total, True))
