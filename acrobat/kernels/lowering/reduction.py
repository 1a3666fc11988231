"""Reductions, and what is made of them: softmax and layer normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.ops import EPSILON
from .placing import Value

if TYPE_CHECKING:
    from .block import Lowering


def _over_rows(lowering: Lowering, value: Value) -> tuple[int, int]:
    """Width and expression of a value that reductions may run over: one segment, which no
    contraction is part of, nor a reduction of another width."""
    pool = lowering.pool
    roots = [e for _, e in value.segments]
    widths = {pool.nodes[r][1] for r in pool.reductions(roots)}
    if pool.contractions(roots) or widths - {value.width}:
        value = lowering.store(value, True)
    if len(value.segments) > 1:
        value = lowering.read(lowering.stored_whole(value))
    return value.segments[0]


def softmax(lowering: Lowering, x: Value) -> Value:
    """e^(x - max) / sum, per row."""
    pool = lowering.pool
    width, e = _over_rows(lowering, x)
    powers = pool.add("exp", pool.add("sub", e, pool.add("rmax", width, e)))
    result = pool.add("div", powers, pool.add("rsum", width, powers))
    return Value(x.rows, ((width, result),))


def layer_norm(lowering: Lowering, x: Value, g: Value, b: Value) -> Value:
    """(x - mean) / sqrt(variance + epsilon) * g + b, per row."""
    pool = lowering.pool
    width, e = _over_rows(lowering, x)
    share = pool.add("lit", 1.0 / width)
    centred = pool.add("sub", e, pool.add("mul", pool.add("rsum", width, e), share))
    squares = pool.add("mul", centred, centred)
    variance = pool.add("mul", pool.add("rsum", width, squares), share)
    scale = pool.add("rsqrt", pool.add("add", variance, pool.add("lit", EPSILON)))
    normal = Value(x.rows, ((width, pool.add("mul", centred, scale)),))
    return lowering.pointwise("add", [lowering.pointwise("mul", [normal, g]), b])


def reduce_value(lowering: Lowering, name: str, x: Value, axis: object) -> Value:
    """`sum`, `mean`, `max`, `argmax` over the columns ("all" of a vector, -1), over the rows (0) or
    over everything."""
    pool = lowering.pool
    if axis == 0:
        x = lowering.transposed(x)
    elif axis == "all" and x.rows > 1:
        x = lowering.reshaped(x, 1, x.rows * x.width)
    width, e = _over_rows(lowering, x)
    fn = {"sum": "rsum", "mean": "rsum", "max": "rmax", "argmax": "rargmax"}[name]
    total = pool.add(fn, width, e)
    if name == "mean":
        total = pool.add("mul", total, pool.add("lit", 1.0 / width))
    result = Value(x.rows, ((1, total),))
    # One number per row: as a vector, these are the columns.
    return result if x.rows == 1 else lowering.transposed(lowering.store(result, True))
