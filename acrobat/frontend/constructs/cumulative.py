"""`ops.cumsum(x, axis)`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import RowsType, TensorType
from ..context import FunctionContext
from ..emit import tensor_op
from ..registry import operation
from ..rows import axes
from ..scope import Env
from ..templates import template
from ..written import placed
from .arguments import temporary
from .reductions import chosen_axis

Given = dict[str, ast.expr]


@operation("cumsum")
def cumsum(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.cumsum(x, axis)`: a product with a triangular matrix of ones."""
    source = given["x"]
    x = ctx.expression(source, env)
    if not isinstance(x.type, TensorType) or not x.type.dims:
        ctx.fail("AC010", source, f"cumsum needs a vector or a matrix, got {x.type}", "a vector")
    axis = chosen_axis(ctx, given.get("axis"), x.type, "cumsum", env)
    if axis is None and len(x.type.dims) > 1:
        ctx.fail("AC017", node, f"cumsum of {x.type} without an axis", "`axis=0` or `axis=1`")
    if isinstance(x.type, RowsType):
        return _of_rows(ctx, node, source, x, axis or 0, env)
    n = x.type.dims[axis or 0]
    ones = tensor_op(ctx, "triangle", node, [], (("n", n),))
    if axis == 0 and len(x.type.dims) > 1:
        below = tensor_op(ctx, "transpose", node, [(node, ones)])
        return tensor_op(ctx, "matmul", node, [(node, below), (source, x)])
    return tensor_op(ctx, "matmul", node, [(source, x), (node, ones)])


# By the axes of a tensor (`rows.axes`) and the one to sum along. Row after row is added, as numpy
# does: a product with a triangle would take a row for each row.
_OF_ROWS = {
    ("?", 0): "ops.stack(list(itertools.accumulate(x, operator.add)))",
    ("?n", 0): "ops.stack(list(itertools.accumulate(x, operator.add)))",
    ("?n", 1): "ops.stack([ops.cumsum(row) for row in x])",
    ("n?", 0): "ops.cumsum(x.T, 1).T",
    ("n?", 1): "ops.cumsum(x.T, 0).T",
}


def _of_rows(
    ctx: FunctionContext, node: ast.Call, source: ast.expr, x: T.Atom, axis: int, env: Env
) -> T.Var:
    """Where only the instance knows a size."""
    text = _OF_ROWS.get((axes(x), axis))
    if text is None:
        ctx.fail("AC010", source, f"cumsum of a {x.type}", "a loop that adds its rows")
    before = set(env.names)
    tensor = temporary(env, ast.unparse(source), x, source)
    value = ctx.expression(placed(template(text, x=tensor), node), env)
    for name in set(env.names) - before - ctx.locals:
        del env.names[name]
    assert isinstance(value, T.Var)
    return value
