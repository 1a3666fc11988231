"""Data movement operations: no work, only different strides, segments or positions."""

from __future__ import annotations

from ...ir import typed as T
from ...ir.types import TensorType
from ..specification.expr import contractions
from .context import Context
from .pointwise import pointwise
from .rewrite import down, shift, with_strides
from .values import Segment, Value, shape_of

# The most segments of a value that a concatenation takes as they are.
MOST_SEGMENTS = 256


def lower_slice(context: Context, op: T.Op, out: T.Var) -> Value:
    """Columns start to stop, or rows, if a matrix has axis 0."""
    start, stop = op.attr("start"), op.attr("stop")
    assert isinstance(start, int) and isinstance(stop, int)
    source = op.args[0]
    assert isinstance(source, T.Var) and isinstance(source.type, TensorType)
    placing, value = context.placing, context.value(source)
    if len(source.type.dims) > 1 and dict(op.attrs).get("axis", 0) == 0:
        value = placing.unreduced(value)
        parts = tuple((w, down(context.pool, e, start)) for w, e in value.segments)
        rows = Value(stop - start, parts)
        return _single_row(context, rows) if rows.rows == 1 else rows
    whole = (start, stop) == (0, value.width)
    if not whole and not context.horizontal_fusion and contractions(value.exprs):
        # Several slices of one contraction in one kernel would be horizontal fusion.
        value = context.values[source] = placing.store(value, True)
    return value if whole else _columns(context, placing.unreduced(value), start, stop)


def lower_concat(context: Context, op: T.Op, out: T.Var) -> Value:
    """The operands side by side, or one below the other, for matrices with axis 0."""
    values = [context.value(a) for a in op.args]
    first = op.args[0].type
    assert isinstance(first, TensorType)
    if len(first.dims) > 1 and dict(op.attrs).get("axis", -1) == 0:
        return _pile(context, values)
    unreduced = [context.placing.unreduced(v) for v in values]
    # Operands with many segments are stored: nested concatenations could double their number at
    # each level.
    few = [
        v if len(v.segments) <= MOST_SEGMENTS else context.placing.one_segment(v) for v in unreduced
    ]
    return Value(values[0].rows, tuple(s for v in few for s in v.segments))


def lower_stack(context: Context, op: T.Op, out: T.Var) -> Value:
    """Vectors as the rows of a matrix."""
    return _pile(context, [context.value(a) for a in op.args])


def lower_reshape(context: Context, op: T.Op, out: T.Var) -> Value:
    """The same elements, row by row, in another shape."""
    return reshaped(context, context.value(op.args[0]), *shape_of(out.type))


def lower_transpose(context: Context, op: T.Op, out: T.Var) -> Value:
    """Rows as columns."""
    return transposed(context, context.value(op.args[0]))


def lower_outer(context: Context, op: T.Op, out: T.Var) -> Value:
    """Every element of a vector times every element of another."""
    x, y = context.placing.plain(context.value(op.args[0])), context.value(op.args[1])
    return pointwise(context, "mul", [transposed(context, x), y])


def lower_zeros(context: Context, op: T.Op, out: T.Var) -> Value:
    """The same number in every row and column: nothing is read."""
    rows, columns = shape_of(out.type)
    return Value(rows, ((columns, context.pool.number(0.0)),))


def reshaped(context: Context, value: Value, rows: int, columns: int) -> Value:
    """The same elements, row by row, in another shape."""
    if (value.rows, value.width) == (rows, columns):
        return value
    e = context.placing.dense(value)
    leaf = context.pool.load(e.region, e.start, columns if rows > 1 else 0, 1)
    return Value(rows, ((columns, leaf),))


def transposed(context: Context, value: Value) -> Value:
    """Rows as columns."""
    value = context.placing.one_segment(context.placing.plain(value))
    ((width, e),) = value.segments
    swapped = with_strides(context.pool, e, lambda rs, cs: (cs, rs))
    result = Value(width, ((value.rows, swapped),))
    return _single_row(context, result) if width == 1 else result


def _columns(context: Context, value: Value, start: int, stop: int) -> Value:
    """Columns start to stop."""
    parts: list[Segment] = []
    at = 0
    for width, e in value.segments:
        low, high = max(start, at), min(stop, at + width)
        if low < high:
            parts.append((high - low, shift(context.pool, e, low - at)))
        at += width
    return Value(value.rows, tuple(parts))


def _single_row(context: Context, value: Value) -> Value:
    """Row 0 as a vector: its only row, so that its row stride becomes 0."""
    value = context.placing.plain(value)
    pool = context.pool
    fixed = ((w, with_strides(pool, e, lambda rs, cs: (0, cs))) for w, e in value.segments)
    return Value(1, tuple(fixed))


def _pile(context: Context, values: list[Value]) -> Value:
    """`values` one below the other: all are stored into one temporary."""
    width = values[0].width
    temp = context.placing.new_temp(sum(v.rows for v in values), width)
    at = 0
    for v in values:
        context.placing.store_into(v, temp, at * width)
        at += v.rows
    return context.placing.read(temp)
