"""Choices whose branches have types that are alike for what uses them: a number where the other
branch is a tensor, `h + (np.mean(xs, axis=0) if xs else 0.0)`, which beside another operand of that
shape means a tensor that has it everywhere; a tuple beside a list, `list(xs if c else (a, b))`."""

from __future__ import annotations

import ast

from ...ir.types import FLOAT, INT, ListType, RowsType, StackType, TensorType, TupleType, Type
from ..context import FunctionContext
from ..optional import takes
from ..raw_values import Datas

# Set on `a if c else b` that is an operand: the type of the other operand.
_BESIDE = "_acrobat_beside"
# Set on one of which only the items matter.
_ITERATED = "_acrobat_iterated"
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


def mark_iterated(node: ast.IfExp) -> None:
    """Note that only the items of a choice matter: a tuple beside a list may be one."""
    setattr(node, _ITERATED, True)


def iterated_type(node: ast.IfExp, a: Type, b: Type, datas: Datas) -> Type | None:
    """The list type of one branch, if the other is a tuple that may be such a list."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, ListType) and type(other) is TupleType and hasattr(node, _ITERATED):
            return one if takes(datas, other, one) else None
    return None


def instead(a: Type, b: Type, otherwise: str) -> str:
    """What to write in place of a number beside a tensor; `otherwise` for other branches."""
    if {FLOAT, INT} & {a, b} and any(isinstance(t, TensorType) for t in (a, b)):
        return "a tensor of the other's shape in place of the number, as of `ops.zeros_like(x)`"
    return otherwise
