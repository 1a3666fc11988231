"""`x.argmax(axis=0)` of a matrix: a list of ints, one for each column."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import TensorType
from ...lang import ops
from ..context import FunctionContext
from ..frozen_lists import as_int_array
from ..scope import Env
from ..written import call, placed


def argmax_along(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, t: TensorType, env: Env
) -> T.Atom | None:
    """The positions of the greatest elements of `x`, of type `t`, along the axis that `node` gives
    after `x`; None unless `x` is a matrix and the axis is written out."""
    words = {k.arg: k.value for k in node.keywords}
    given = node.args[-1] if len(node.args) > 0 and not words else words.get("axis")
    axis = None if given is None else ast.unparse(given)
    if len(t.dims) != 2 or len(words) > 1 or axis not in ("0", "1", "-1", "-2"):
        return None
    item, along = ast.Name("an item", ast.Load()), ast.Name("an item", ast.Store())
    if axis in ("1", "-1"):
        made = call(ops.argmax, item)
        each = ast.comprehension(along, x, [], 0)
    else:
        column = ast.Tuple([ast.Slice(), item], ast.Load())
        made = call(ops.argmax, ast.Subscript(x, column, ast.Load()))
        columns = ast.Subscript(ast.Attribute(x, "shape", ast.Load()), ast.Constant(1), ast.Load())
        each = ast.comprehension(along, call(range, columns), [], 0)
    return as_int_array(ctx.expression(placed(ast.ListComp(made, [each]), node), env))
