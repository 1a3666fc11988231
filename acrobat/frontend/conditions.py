"""Conditions: values that decide where control flow goes."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import BOOL, ListType, NothingType, TensorType
from .context import FunctionContext
from .narrowing import has_none
from .scope import Env


def condition(ctx: FunctionContext, test: ast.expr, env: Env) -> T.Atom:
    """The value of `test`, a bool."""
    cond = ctx.expression(test, env)
    if cond.type == BOOL:
        return cond
    if isinstance(cond.type, NothingType):
        ctx.error("AC018", test, "the condition is an item of an empty list", "an item before it")
        return T.Const(True, BOOL)
    if isinstance(cond.type, TensorType):
        instead = "compare a number: `ops.item(x) > 0.5`"
    elif has_none(cond.type):
        instead = "`is None`, or `match`"
    elif isinstance(cond.type, ListType):
        instead = f"`len({ast.unparse(test)}) > 0`"
    else:
        instead = "compare it, such as `n > 0`"
    ctx.fail("AC018", test, f"the condition is a {cond.type}", instead)
