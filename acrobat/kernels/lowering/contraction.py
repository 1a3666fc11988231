"""Products: with a weight that all nodes share, or with a matrix of the node's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir import typed as T
from ...ir.types import TensorType
from ..specification.expr import Product
from .placing import Value

if TYPE_CHECKING:
    from .block import Lowering


def contraction(lowering: Lowering, op: T.Op) -> Value:
    """`matmul` and `linear`."""
    right = op.args[1]
    assert isinstance(right, T.Var) and isinstance(right.type, TensorType)
    left = lowering.value(op.args[0])
    if right in lowering.shared and len(right.type.dims) == 2:
        result = by_weight(lowering, left, lowering.shared[right], right.type.dims[1].known or 0)
    elif len(right.type.dims) == 2:
        result = by_matrix(lowering, left, lowering.value(right))
    else:
        result = by_vector(lowering, left, lowering.value(right))
    if len(op.args) == 3:
        result = lowering.pointwise("add", [result, lowering.value(op.args[2])])
    return result


def by_weight(lowering: Lowering, left: Value, weight: str, columns: int) -> Value:
    """left @ W for a weight that is packed for the kernel."""
    terms = []
    row = 0
    left = lowering.in_memory(left)
    for width, e in left.segments:
        kind, number, start, rs, cs = lowering.pool.nodes[e]
        terms.append(Product((kind, number), start, width, rs, cs, row, 0, weight=weight))
        row += width
    return Value(left.rows, ((columns, lowering.pool.add("acc", tuple(terms))),))


def by_matrix(lowering: Lowering, left: Value, right: Value) -> Value:
    """left @ right for a matrix of the node's own."""
    pool = lowering.pool
    if left.rows == 1 and len(right.segments) == 1:
        kind, *rest = pool.nodes[right.segments[0][1]]
        if kind in ("row", "table", "temp", "vec") and rest[2] == 1 and rest[3] != 1:
            # x @ A^T: the columns of the right side are rows in memory.
            return by_vector(lowering, lowering.transposed(right), left)
    right = _rows_in_memory(lowering, right)
    left = lowering.in_memory(left)
    segments = []
    for columns, b in right.segments:
        b_kind, b_number, b_start, b_stride, _ = pool.nodes[b]
        terms = []
        row = 0
        for width, e in left.segments:
            kind, number, start, rs, cs = pool.nodes[e]
            at = b_start + row * b_stride
            terms.append(
                Product(
                    (kind, number), start, width, rs, cs, b_stride, at, matrix=(b_kind, b_number)
                )
            )
            row += width
        segments.append((columns, pool.add("acc", tuple(terms))))
    return Value(left.rows, tuple(segments))


def _rows_in_memory(lowering: Lowering, matrix: Value) -> Value:
    """`matrix` with every segment in memory and its rows contiguous."""
    nodes = [lowering.pool.nodes[e] for _, e in matrix.segments]
    if all(n[0] in ("row", "table", "temp") and n[4] == 1 for n in nodes):
        return matrix
    return lowering.read(lowering.stored_whole(matrix))


def by_vector(lowering: Lowering, left: Value, right: Value) -> Value:
    """left @ right for a vector: every row of the left side times the vector, summed."""
    pool = lowering.pool
    products = lowering.pointwise("mul", [lowering.plain(left), lowering.plain(right)])
    if len(products.segments) > 1:
        products = lowering.store(products, True)
        if len(products.segments) > 1:
            products = lowering.read(lowering.stored_whole(products))
    ((width, e),) = products.segments
    total = Value(products.rows, ((1, pool.add("rsum", width, e)),))
    if products.rows == 1:
        return total
    # One number per row: as a vector, these are the columns.
    return lowering.transposed(lowering.store(total, True))
