"""The type of a differentiation rule, and rules that several operations share."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import typed as T
from ...ir.ops.definition import Pointwise
from ...ir.ops.derivative import Gradient
from ..emitter import Emitter

Rule = Callable[[Emitter, T.Op, T.Var, T.Var], tuple[Gradient, ...]]

__all__ = ["Gradient", "Rule", "constant", "of_record"]


def constant(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    """No operand has a gradient."""
    return tuple(None for _ in op.args)


def of_record(record: Pointwise) -> Rule:
    """The rule for a point-wise operation, from the derivative in its record."""

    def rule(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
        return record.derivative(e, op.args, y, d)

    return rule
