"""Derivatives of operations along rows: softmax, normalisation, reductions."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...ir import typed as T
from ...ir.ops import EPSILON
from ..emitter import Emitter, dims_of
from .rule import Gradient, Rule


def softmax_slope(e: Emitter, y: T.Var, d: T.Var) -> T.Var:
    return e.mul(y, e.sub(d, e.rows_sum(e.mul(d, y))))


def _softmax(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (softmax_slope(e, y, d),)


def _log_softmax(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.sub(d, e.mul(e.op("exp", y), e.rows_sum(d))),)


def _rows_mean(e: Emitter, x: T.Var) -> T.Var:
    return e.mul(e.rows_sum(x), 1.0 / dims_of(x)[-1])


def _normalised(e: Emitter, x: T.Var, gain: T.Atom, d: T.Var) -> tuple[T.Var, T.Var, T.Var]:
    """For x / sqrt(mean of squares + epsilon) * gain: the value without the gain, the reciprocal
    root, and the gradient before the gain."""
    root = e.op("rsqrt", e.add(_rows_mean(e, e.mul(x, x)), EPSILON))
    return e.mul(x, root), root, e.mul(d, gain)


def _rms_norm(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    x, gain = op.args
    assert isinstance(x, T.Var)
    normal, root, inner = _normalised(e, x, gain, d)
    dx = e.mul(root, e.sub(inner, e.mul(normal, _rows_mean(e, e.mul(inner, normal)))))
    return dx, e.summed_to(e.mul(d, normal), dims_of(gain))


def _layer_norm(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    x, gain, bias = op.args
    assert isinstance(x, T.Var)
    normal, root, inner = _normalised(e, e.sub(x, _rows_mean(e, x)), gain, d)
    rest = e.sub(inner, e.mul(normal, _rows_mean(e, e.mul(inner, normal))))
    dx = e.mul(root, e.sub(rest, _rows_mean(e, inner)))
    return dx, e.summed_to(e.mul(d, normal), dims_of(gain)), e.summed_to(d, dims_of(bias))


def _axis(op: T.Op) -> T.AttrValue:
    return "all" if len(dims_of(op.args[0])) == 1 else dict(op.attrs).get("axis", "all")


def _spread(e: Emitter, op: T.Op, x: T.Var) -> T.Var:
    """`x`, a number per row, column or tensor, shaped to be broadcast to the reduced operand."""
    dims = dims_of(op.args[0])
    return e.reshape(x, (dims[0], 1)) if _axis(op) == -1 and len(dims) == 2 else x


def _reduced(op: T.Op) -> int:
    """The number of elements that were reduced to one."""
    dims, axis = dims_of(op.args[0]), _axis(op)
    return math.prod(dims) if axis == "all" else dims[int(str(axis))]


def _sum(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.broadcast(_spread(e, op, d), dims_of(op.args[0])),)


def _mean(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    share = e.mul(_spread(e, op, d), 1.0 / _reduced(op))
    return (e.broadcast(share, dims_of(op.args[0])),)


def _max(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    (x,) = op.args
    largest = e.op("equal", x, _spread(e, op, y))
    count = e.op("sum", largest, axis=_axis(op))
    return (e.where(largest, e.div(_spread(e, op, d), _spread(e, op, count)), 0.0),)


def _logsumexp(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    (x,) = op.args
    return (e.mul(e.op("exp", e.sub(x, _spread(e, op, y))), _spread(e, op, d)),)


ROWS: Mapping[str, Rule] = {
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "sum": _sum,
    "mean": _mean,
    "max": _max,
    "logsumexp": _logsumexp,
}
