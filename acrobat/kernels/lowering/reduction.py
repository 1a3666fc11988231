"""Reductions, and the operations built from them: softmax and normalisations."""

from __future__ import annotations

from ...ir import typed as T
from ...ir.ops import EPSILON, LARGEST
from ...ir.types import TensorType
from ..specification.expr import Expr, contractions, reductions
from ..specification.spec import ReductionName
from .context import Context
from .movement import reshaped, transposed
from .pointwise import pointwise
from .values import Value

_FUNCTIONS: dict[str, ReductionName] = {
    "sum": "rsum",
    "mean": "rsum",
    "max": "rmax",
    "argmax": "rargmax",
}


def lower_softmax(context: Context, op: T.Op, out: T.Var) -> Value:
    """e^(x - max) / sum, per row."""
    return softmax(context, context.value(op.args[0]))


def softmax(context: Context, x: Value) -> Value:
    """e^(x - max) / sum, per row."""
    pool = context.pool
    width, e = _over_rows(context, x)
    # A NaN makes the sum NaN, whatever the maximum is.
    powers = pool.apply("exp", pool.apply("sub", e, pool.reduction("rmaxnum", width, e)))
    result = pool.apply("div", powers, pool.reduction("rsum", width, powers))
    return Value(x.rows, ((width, result),))


def lower_log_softmax(context: Context, op: T.Op, out: T.Var) -> Value:
    """x - max - log(sum of e^(x - max)), per row."""
    x = context.value(op.args[0])
    pool = context.pool
    width, e = _over_rows(context, x)
    shifted = pool.apply("sub", e, pool.reduction("rmaxnum", width, e))
    total = pool.reduction("rsum", width, pool.apply("exp", shifted))
    return Value(x.rows, ((width, pool.apply("sub", shifted, pool.apply("log", total))),))


def lower_rms_norm(context: Context, op: T.Op, out: T.Var) -> Value:
    """x / sqrt(mean of squares + epsilon) * gain, per row."""
    x, gain = (context.value(a) for a in op.args)
    pool = context.pool
    width, e = _over_rows(context, x)
    total = pool.reduction("rsum", width, pool.apply("mul", e, e))
    mean = pool.apply("mul", total, pool.number(1.0 / width))
    scale = pool.apply("rsqrt", pool.apply("add", mean, pool.number(EPSILON)))
    return pointwise(context, "mul", [Value(x.rows, ((width, pool.apply("mul", e, scale)),)), gain])


def _log_of_sum(context: Context, width: int, e: Expr) -> Expr:
    """log(sum of e^x), per row; the maximum, clamped to finite numbers, is subtracted first."""
    pool = context.pool
    most = pool.apply("minimum", pool.reduction("rmaxnum", width, e), pool.number(LARGEST))
    most = pool.apply("maximum", most, pool.number(-LARGEST))
    total = pool.reduction("rsum", width, pool.apply("exp", pool.apply("sub", e, most)))
    return pool.apply("add", pool.apply("log", total), most)


def lower_layer_norm(context: Context, op: T.Op, out: T.Var) -> Value:
    """(x - mean) / sqrt(variance + epsilon) * gain + bias, per row."""
    x, gain, bias = (context.value(a) for a in op.args)
    pool = context.pool
    width, e = _over_rows(context, x)
    per_column = pool.number(1.0 / width)
    mean = pool.apply("mul", pool.reduction("rsum", width, e), per_column)
    centred = pool.apply("sub", e, mean)
    squares = pool.apply("mul", centred, centred)
    variance = pool.apply("mul", pool.reduction("rsum", width, squares), per_column)
    scale = pool.apply("rsqrt", pool.apply("add", variance, pool.number(EPSILON)))
    normal = Value(x.rows, ((width, pool.apply("mul", centred, scale)),))
    return pointwise(context, "add", [pointwise(context, "mul", [normal, gain]), bias])


def lower_reduction(context: Context, op: T.Op, out: T.Var) -> Value:
    """`sum`, `mean`, `max`, `argmax`, `logsumexp` over the columns (axis -1, or a vector), over the
    rows (0) or over everything ("all")."""
    source = op.args[0].type
    assert isinstance(source, TensorType)
    axis = "all" if len(source.dims) == 1 else dict(op.attrs).get("axis", "all")
    x = context.value(op.args[0])
    if axis == 0:
        x = transposed(context, x)
    elif axis == "all" and x.rows > 1:
        x = reshaped(context, x, 1, x.rows * x.width)
    width, e = _over_rows(context, x)
    pool = context.pool
    if op.name == "logsumexp":
        total = _log_of_sum(context, width, e)
    else:
        total = pool.reduction(_FUNCTIONS[op.name], width, e)
    if op.name == "mean":
        total = pool.apply("mul", total, pool.number(1.0 / width))
    result = Value(x.rows, ((1, total),))
    # One number per row: as a vector, these become the columns.
    return result if x.rows == 1 else transposed(context, context.placing.store(result, True))


def _over_rows(context: Context, value: Value) -> tuple[int, Expr]:
    """Width and expression of a value in a form that reductions may run over: one segment, without
    contractions or reductions of another width."""
    widths = {r.width for r in reductions(value.exprs)}
    if contractions(value.exprs) or widths - {value.width}:
        value = context.placing.store(value, True)
    return context.placing.one_segment(value).segments[0]
