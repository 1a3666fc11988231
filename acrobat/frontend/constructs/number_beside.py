"""A number where the other branch is a tensor, `h + (np.mean(xs, axis=0) if xs else 0.0)`: beside
another operand of that shape it means a tensor that has it everywhere."""

from __future__ import annotations

import ast

from ...ir.types import FLOAT, INT, RowsType, StackType, TensorType, Type
from ..context import FunctionContext

# Set on `a if c else b` that is an operand: the type of the other operand.
_BESIDE = "_acrobat_beside"
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def note_other_operand(node: ast.BinOp, left: Type) -> None:
    """Note the type of the left operand for a right one that is a choice."""
    if isinstance(node.right, ast.IfExp):
        kept = left if isinstance(node.op, _OPERATORS) else None
        setattr(node.right, _BESIDE, kept)


def with_numbers(ctx: FunctionContext, node: ast.IfExp, a: Type, b: Type) -> Type | None:
    """The type of both branches if one is a number that broadcasting makes a tensor; else None."""
    beside = getattr(node, _BESIDE, None)
    for one, other in ((a, b), (b, a)):
        if not isinstance(one, TensorType) or isinstance(one, (RowsType, StackType)) or one.mask:
            continue
        known = isinstance(beside, TensorType) and not isinstance(beside, RowsType)
        if other in (FLOAT, INT) and one.dims and known:
            assert isinstance(beside, TensorType)
            if beside.dims[len(beside.dims) - len(one.dims) :] == one.dims and not beside.mask:
                return one
    return None


def instead(a: Type, b: Type, otherwise: str) -> str:
    """What to write in place of a number beside a tensor; `otherwise` for other branches."""
    if {FLOAT, INT} & {a, b} and any(isinstance(t, TensorType) for t in (a, b)):
        return "a tensor of the other's shape in place of the number, as of `ops.zeros_like(x)`"
    return otherwise
