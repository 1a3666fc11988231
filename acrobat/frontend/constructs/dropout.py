"""`ops.dropout(x, p)`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import FLOAT, INT, RowsType, StackType, TensorType
from ..context import FunctionContext
from ..emit import tensor_op
from ..registry import operation
from ..scope import Env


@operation("dropout")
def dropout(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
    """`ops.dropout(x, p)`, as an operation of the typed IR; transform/number_dropouts.py replaces
    it by what it computes."""
    source, wanted = given["x"], given["p"]
    x, p = ctx.expression(source, env), ctx.expression(wanted, env)
    if isinstance(x.type, StackType):
        ctx.fail(
            "AC010",
            source,
            f"dropout of a {x.type}",
            "each of its matrices, `ops.dropout(x[0], 0.1)`",
        )
    if isinstance(x.type, RowsType):
        ctx.fail(
            "AC010",
            source,
            f"dropout of a {x.type}, whose size ? only the instance knows",
            "each of its rows, before they are put together: `[ops.dropout(x, 0.1) for x in xs]`",
        )
    if not isinstance(x.type, TensorType):
        ctx.fail("AC010", source, f"dropout needs a tensor, got {x.type}", "a tensor")
    if not isinstance(p, T.Const) or p.type not in (INT, FLOAT):
        ctx.fail(
            "AC017",
            wanted,
            "the probability of dropout is known when the model is compiled",
            "a number written out, one of the module, or one among the weights",
        )
    rate = float(p.value)
    if not 0 <= rate <= 1:
        ctx.fail("AC017", wanted, f"dropout with probability {p.value}", "one between 0 and 1")
    return tensor_op(ctx, "dropout", node, [(source, x), (wanted, T.Const(rate, FLOAT))])
