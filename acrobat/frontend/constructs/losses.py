"""Losses: `ops.cross_entropy(logits, label)`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, TensorType
from ..context import FunctionContext
from ..emit import tensor_op
from ..registry import operation
from ..scope import Env


@operation("cross_entropy")
def cross_entropy(
    ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env
) -> T.Var:
    """`ops.cross_entropy(logits, label)`: the log-sum-exp of the logits minus the logit of the
    label."""
    logits, label = ((given[n], ctx.expression(given[n], env)) for n in ("logits", "label"))
    if not isinstance(logits[1].type, TensorType) or len(logits[1].type.dims) != 1:
        ctx.fail(
            "AC010",
            logits[0],
            f"cross_entropy needs a vector of logits, got {logits[1].type}",
            "one for each row, added up: `sum(ops.cross_entropy(x, k) for x, k in ...)`",
        )
    if label[1].type != INT:
        ctx.fail(
            "AC010",
            label[0],
            f"the label of cross_entropy is an int, this is {label[1].type}",
            "an int field of the instance",
        )
    total = tensor_op(ctx, "logsumexp", node, [logits])
    own = tensor_op(ctx, "lookup", node, [logits, label])
    return tensor_op(ctx, "sub", node, [(node, total), (node, own)])
