"""Sums, means, maxima and logsumexp of tensors whose size only the instance knows."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ..context import FunctionContext
from ..emit import Attrs, Operands, tensor_op
from ..registry import rows_operation
from ..rows import apply, axes, count, mapped, reduced, rows_of_columns, wrong_shapes


@rows_operation("sum", "mean", "max", "logsumexp")
def reduction(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: dict[str, T.AttrValue],
) -> T.Var:
    """Reduce over one axis, or over all."""
    ((_, x),) = operands
    shape, axis = axes(x), attrs.get("axis", "all")
    if isinstance(axis, int):
        if not -len(shape) <= axis < len(shape):
            wrong_shapes(ctx, f"{name} over axis {axis}", node, operands, "another axis")
        axis %= len(shape)
    elif len(shape) == 2:
        last = _over(ctx, name, node, x, 1)
        return _over(ctx, name, node, last, 0)
    if shape == "??" and axis == 0:
        x, axis = rows_of_columns(ctx, node, x), 1
    return _over(ctx, name, node, x, axis if isinstance(axis, int) else 0)


def _over(ctx: FunctionContext, name: str, node: ast.AST, x: T.Atom, axis: int) -> T.Var:
    """Reduce over one axis of a vector or a matrix."""
    shape = axes(x)
    if "?" not in shape:
        return tensor_op(ctx, name, node, [(node, x)], (("axis", axis),))
    if shape[axis] == "?" and shape != "??":
        if name == "logsumexp":
            return log_of_sum(ctx, node, x)
        whole = reduced(ctx, node, "maximum" if name == "max" else "add", x)
        if name != "mean":
            return whole
        return apply(ctx, node, "div", whole, count(ctx, node, x))
    one: Attrs = (("axis", 0),)
    return mapped(ctx, node, [x], lambda item: tensor_op(ctx, name, node, [(node, item)], one))


def log_of_sum(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Var:
    """The logarithm of the sum of the exponentials of the items of `x`, without overflow."""
    largest = reduced(ctx, node, "maximum", x)
    less = apply(ctx, node, "exp", apply(ctx, node, "sub", x, largest))
    return apply(
        ctx, node, "add", apply(ctx, node, "log", reduced(ctx, node, "add", less)), largest
    )
