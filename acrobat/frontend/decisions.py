"""Implicit decisions on a tensor's value: `if x[0] > 0:`, `float(x)`."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import BOOL, FLOAT, TensorType
from .context import FunctionContext


def one_element(value: T.Atom) -> bool:
    """Whether `value` is a tensor of one element."""
    return isinstance(value.type, TensorType) and all(d == Dim.of(1) for d in value.type.dims)


def of_rank_0(value: T.Atom) -> bool:
    """Whether `value` is a tensor of rank 0, which Python's functions of numbers take as well."""
    return isinstance(value.type, TensorType) and not value.type.dims


def read_number(ctx: FunctionContext, value: T.Atom, node: ast.AST) -> T.Var:
    """The number in a tensor of one element."""
    assert isinstance(value, T.Var)
    return ctx.let(T.Read(value), FLOAT, node, "number")


def mask_holds(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom:
    """Whether the comparison of tensors written as `node` holds, where a single truth value is
    needed; an error if it gives several."""
    if not one_element(value):
        ctx.fail(
            "AC018",
            node,
            f"the condition is a {value.type}, a truth value for each element",
            "`ops.max(mask) > 0` whether one holds, `ops.where(mask, a, b)` to choose for each",
        )
    number = read_number(ctx, value, node)
    return ctx.let(T.Scalar("!=", (number, T.Const(0.0, FLOAT))), BOOL, node, "b")


def is_mask(value: T.Atom) -> bool:
    """Whether `value` is the result of a comparison of tensors."""
    return isinstance(value.type, TensorType) and value.type.mask
