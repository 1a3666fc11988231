"""Derivatives of operations that rearrange elements."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import typed as T
from ..emitter import Emitter, dims_of
from .rule import Gradient, Rule


def _transpose(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.op("transpose", d),)


def _reshape(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    return (e.reshape(d, dims_of(op.args[0])),)


def _concat(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    axis = dict(op.attrs).get("axis", -1)
    assert isinstance(axis, int)
    axis %= len(dims_of(y))
    found: list[Gradient] = []
    at = 0
    for x in op.args:
        size = dims_of(x)[axis]
        found.append(e.part(d, axis, at, at + size))
        at += size
    return tuple(found)


def _stack(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    rows = (e.part(d, 0, i, i + 1) for i in range(len(op.args)))
    return tuple(e.reshape(r, dims_of(d)[1:]) for r in rows)


def _slice(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    """The gradient of a single slice; `Sum` combines those of several."""
    (x,) = op.args
    axis, start, stop = slice_of(op)
    dims = dims_of(x)
    parts: list[T.Var] = [d]
    for at, (low, high) in ((0, (0, start)), (len(parts), (stop, dims[axis]))):
        if low < high:
            gap = e.zeros((*dims[:axis], high - low, *dims[axis + 1 :]))
            parts.insert(at if at == 0 else len(parts), gap)
    return (d if len(parts) == 1 else e.op("concat", *parts, axis=axis),)


def slice_of(op: T.Op) -> tuple[int, int, int]:
    """Axis, start and stop of a slice."""
    axis, start, stop = dict(op.attrs).get("axis", 0), op.attr("start"), op.attr("stop")
    assert isinstance(axis, int) and isinstance(start, int) and isinstance(stop, int)
    return axis, start, stop


LAYOUT: Mapping[str, Rule] = {
    "transpose": _transpose,
    "reshape": _reshape,
    "concat": _concat,
    "stack": _stack,
    "slice": _slice,
}
