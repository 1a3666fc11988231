"""Point-wise operations: they stay expressions until something must be stored (kernel fusion)."""

from __future__ import annotations

import itertools

from ...ir import typed as T
from ..specification.expr import Expr, Load, LoadShared, Number, contractions, reductions
from .context import Context
from .rewrite import shift, with_strides
from .values import Segment, Value


def lower_pointwise(context: Context, op: T.Op, out: T.Var) -> Value:
    """Any point-wise operation."""
    return pointwise(context, op.name, [context.value(a) for a in op.args])


def pointwise(context: Context, fn: str, operands: list[Value]) -> Value:
    """fn of the operands, which are broadcast to the largest of them."""
    rows = max(v.rows for v in operands)
    width = max(v.width for v in operands)
    operands = _kept_apart(context, [_computed_once(context, v, rows) for v in operands])
    operands = [_broadcast(context, v, rows, width) for v in operands]
    result: list[Segment] = []
    for low, high in _common_segments([v for v in operands if v.width == width], width):
        at = [_column(context, v, low, width) for v in operands]
        result.append((high - low, context.pool.apply(fn, *at)))
    return Value(rows, tuple(result))


def _computed_once(context: Context, value: Value, rows: int) -> Value:
    """`value`, stored if it would be recomputed in each of `rows` rows."""
    leaves = all(isinstance(e, Load | LoadShared | Number) for e in value.exprs)
    return value if value.rows == rows or leaves else context.placing.store(value, True)


def _broadcast(context: Context, value: Value, rows: int, width: int) -> Value:
    """`value` in a form that can be read in every row and column of a larger result."""
    if value.width < width:
        value = context.placing.plain(value, keep_reductions=True)
        ((_, e),) = value.segments
        return Value(rows, ((1, with_strides(context.pool, e, lambda rs, cs: (rs, 0))),))
    return Value(rows, value.segments)


def _common_segments(values: list[Value], width: int) -> list[tuple[int, int]]:
    """The column ranges in which every value has a single segment."""
    edges = {0, width}
    for value in values:
        at = 0
        for w, _ in value.segments:
            at += w
            edges.add(at)
    return list(itertools.pairwise(sorted(edges)))


def _column(context: Context, value: Value, low: int, width: int) -> Expr:
    """The expression of `value` at column `low`, which may be anywhere in a segment."""
    if value.width < width:
        return value.segments[0][1]
    at = 0
    for w, e in value.segments:
        if low < at + w:
            return shift(context.pool, e, low - at)
        at += w
    raise AssertionError(f"column {low} is behind the value")


def _kept_apart(context: Context, values: list[Value]) -> list[Value]:
    """`values`, stored where a kernel of all of them would break a rule: a kernel has contractions
    or reductions, not both, and reductions run over the whole row."""
    reduced = reductions([e for v in values for e in v.exprs])
    if not reduced:
        return values
    segments = {tuple(w for w, _ in v.segments) for v in values if v.width > 1}
    whole = len(segments) <= 1 and all(len(s) == 1 for s in segments)
    widths = {r.width for r in reduced}
    width = max(v.width for v in values)
    if width == 1 and len(widths) == 1:
        width = next(iter(widths))
    placing = context.placing
    if not whole or widths != {width}:
        return [placing.unreduced(v) for v in values]
    return [placing.store(v) if contractions(v.exprs) else v for v in values]
