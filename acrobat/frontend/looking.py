"""What an expression is, before it is lowered."""

from __future__ import annotations

import ast

from ..ir import typed as T
from .context import FunctionContext
from .scope import Env, Recover


def looked_at(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom | None:
    """The value of `node`, which is not computed, and changes nothing; None if it has an error,
    which is reported where it is lowered."""
    errors = len(ctx.reporter.errors)
    with ctx.region():
        try:
            return ctx.peek(node, env.copy())
        except Recover:
            del ctx.reporter.errors[errors:]
            return None
