"""Check every tensor operation again once dimensions are numbers.

As long as dimensions are names, some things cannot be known: whether `x[0:300]` lies within [H],
whether a reshape keeps the number of elements, whether heads divide the columns. Now they can.
"""

from __future__ import annotations

from ..frontend.diagnostics import Reporter
from ..ir import typed as T
from ..ir.ops import OPS, ShapeError
from ..ir.rewrite import statements
from ..ir.type_queries import rows_of
from ..ir.types import TensorType
from ..limits import ARENA_FLOATS


def check_shapes(module: T.Module) -> T.Module:
    """Return `module` itself. Raises ModelError with all operations that do not fit their operands
    (AC010) or whose results are too large (AC032)."""
    reporter = Reporter()
    for f in module.functions.values():
        for stmt in statements(f.body):
            if not isinstance(stmt, T.Let) or not isinstance(stmt.rhs, T.Op):
                continue
            op = stmt.rhs
            try:
                OPS[op.name].result([a.type for a in op.args], dict(op.attrs))
                _check_row(op)
            except ShapeError as error:
                hint = "the weights give these sizes; change them or the operation"
                reporter.error("AC010", stmt.span, str(error), hint)
            out = stmt.outs[0].type
            if isinstance(out, TensorType) and out.size > ARENA_FLOATS:
                message = f"{out} has {out.size} elements, and all of a mini-batch at most"
                hint = "smaller weights, or a sum over parts in place of one large tensor"
                reporter.error("AC032", stmt.span, f"{message} {ARENA_FLOATS}", hint)
    reporter.finish()
    return module


def _check_row(op: T.Op) -> None:
    """Check that a constant row number lies within its tensor."""
    if op.name != "lookup" or not isinstance(op.args[1], T.Const):
        return
    (rows, _), at = rows_of(op.args[0].type), int(op.args[1].value)
    if not -rows <= at < rows:
        raise ShapeError(f"row {at} of {op.args[0].type}", [0])
