"""Matrix products, with a weight that all nodes share or with a per-node matrix."""

from __future__ import annotations

from ...ir import typed as T
from ...ir.types import TensorType
from ...limits import LEAST_CHOSEN, MOST_PACKED
from ..specification.expr import Load, LoadShared, Product
from .context import Context
from .movement import transposed
from .pointwise import pointwise
from .values import Segment, Value, shape_of


def lower_contraction(context: Context, op: T.Op, out: T.Var) -> Value:
    """`matmul` and `linear`."""
    right = op.args[1]
    assert isinstance(right, T.Var) and isinstance(right.type, TensorType)
    left, of = op.args[0], context.value(right)
    if right in context.shared and len(right.type.dims) == 2:
        result = by_weight(context, context.value(left), context.shared[right], of.width)
    elif weight := _turned_weight(context, of):
        result = by_weight(context, context.value(left), weight, of.width, turned=True)
    elif len(right.type.dims) == 2:
        result = by_matrix(context, context.value(left), of)
    elif left in context.shared:
        # W @ x is x times the transposed weight.
        rows = context.value(left).rows
        result = by_weight(context, of, context.shared[left], rows, turned=True)
    elif weight := _turned_weight(context, context.value(left)):
        result = by_weight(context, of, weight, context.value(left).rows)
    else:
        result = by_vector(context, context.value(left), of)
    if len(op.args) == 3:
        result = pointwise(context, "add", [result, context.value(op.args[2])])
    return result


def by_weight(
    context: Context, left: Value, weight: str, columns: int, turned: bool = False
) -> Value:
    """left @ W for a weight that is packed for the kernel, or for its transpose (`turned`). A
    contraction of a concatenation is the sum of contractions of its parts."""
    terms: list[Product] = []
    row = 0
    for width, x in _in_memory(context, left):
        terms.append(
            Product(
                x=x.region,
                offset=x.start,
                k=width,
                row_stride=x.row_stride,
                k_stride=x.col_stride,
                row=row,
                col=0,
                weight=weight,
                turned=turned,
            )
        )
        row += width
    return Value(left.rows, ((columns, context.pool.contraction(terms)),))


def _turned_weight(context: Context, value: Value) -> str:
    """The weight whose whole transpose `value` is; "" if there is none."""
    ((_, e), *more) = value.segments
    if more or not isinstance(e, LoadShared) or e.start != 0:
        return ""
    rows, columns = shape_of(context.types[e.weight])
    whole = (value.width, value.rows) == (rows, columns) and min(rows, columns) > 1
    return e.weight if whole and (e.row_stride, e.col_stride) == (1, columns) else ""


def by_matrix(context: Context, left: Value, right: Value) -> Value:
    """left @ right for a per-node matrix."""
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
                    col_stride=b.col_stride,
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
    """The segments of `matrix`, each in memory with contiguous rows, or a matrix of a table."""
    found: list[tuple[int, Load]] = []
    for width, e in matrix.segments:
        if not isinstance(e, Load) or not (e.col_stride == 1 or _of_table(context, e)):
            whole = context.placing.stored_whole(matrix)
            return [(whole.width, context.placing.load(whole))]
        found.append((width, e))
    return found


def by_vector(context: Context, left: Value, right: Value) -> Value:
    """left @ right for a vector: every row of the left side times the vector, summed; or, if the
    left side is a matrix of a table, a contraction of the vector with its transpose."""
    placing = context.placing
    ((_, matrix), *more) = left.segments
    if not more and isinstance(matrix, Load) and _of_table(context, matrix):
        return _by_turned(context, left.rows, matrix, right)
    products = pointwise(context, "mul", [placing.plain(left), placing.plain(right)])
    if len(products.segments) > 1:
        products = placing.one_segment(placing.store(products, True))
    ((width, e),) = products.segments
    total = Value(products.rows, ((1, context.pool.reduction("rsum", width, e)),))
    if products.rows == 1:
        return total
    # One number per row: as a vector, these become the columns.
    return transposed(context, placing.store(total, True))


def _by_turned(context: Context, columns: int, matrix: Load, right: Value) -> Value:
    """A matrix of a table times a vector, as a contraction."""
    terms: list[Product] = []
    k = 0
    for width, x in _in_memory(context, right):
        terms.append(
            Product(
                x=x.region,
                offset=x.start,
                k=width,
                row_stride=0,
                k_stride=x.col_stride,
                row=matrix.col_stride,
                col=matrix.start + k * matrix.col_stride,
                matrix=matrix.region,
                col_stride=matrix.row_stride,
            )
        )
        k += width
    return Value(1, ((columns, context.pool.contraction(terms)),))


def _of_table(context: Context, e: Load) -> bool:
    """Whether `e` reads a matrix of a table that is packed for the kernel, and so may be read in
    any direction."""
    if e.region.kind != "gathered_row":
        return False
    row = context.block.gathered_rows[e.region.number]
    assert isinstance(row.var.type, TensorType)
    size = row.var.type.size
    return len(row.var.type.dims) == 2 and LEAST_CHOSEN <= size <= MOST_PACKED // max(1, row.rows)
