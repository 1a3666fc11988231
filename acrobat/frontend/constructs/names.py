"""Names: local variables, and numbers of the module."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import ListType
from ..context import MISSING, FunctionContext
from ..declarations import suggest
from ..registry import expression
from ..scope import Conflict, Env, Poison, Recover, Size, Undefined
from ..sizes import refuse_size
from .literals import number


@expression(ast.Name)
def name(ctx: FunctionContext, node: ast.Name, env: Env) -> T.Atom:
    """`x`: a local variable, or a number that the module or the function around defines."""
    binding = env.names.get(node.id)
    match binding:
        case T.Var() | T.Const():
            if isinstance(binding.type, ListType):
                env.owned.discard(node.id)
            return binding
        case Poison():
            raise Recover
        case Size(dim):
            refuse_size(ctx, node, dim)
        case Undefined(span):
            ctx.fail(
                "AC009",
                node,
                f"{node.id!r} is assigned on some paths only (line {span.line})",
                f"assign {node.id} on every path, or before the branch",
            )
        case Conflict(span, first, second):
            ctx.fail(
                "AC008",
                node,
                f"{node.id!r} is {first} on one path and {second} on another (line {span.line})",
                "`if` around the calls, each with its own weights"
                if first.startswith("one ") and first != "one size"
                else "give both branches the same type, or use two names",
            )
    return _outside(ctx, node, env)


def _outside(ctx: FunctionContext, node: ast.Name, env: Env) -> T.Const:
    """What a name that is not local stands for."""
    value = ctx.static(node, env)
    if isinstance(value, (bool, int, float)):
        return number(ctx, node, value, f"{node.id} = {value}")
    if value is MISSING:
        if node.id in ctx.locals:
            ctx.fail(
                "AC009", node, f"{node.id!r} is used before it is assigned", "assign it before"
            )
        known = [*env.names, *ctx.locals, *ctx.scope.frames, *ctx.scope.module]
        ctx.fail(
            "AC011",
            node,
            f"the name {node.id!r} is not defined",
            suggest(node.id, known) or "define it, or import it at the top of the module",
        )
    ctx.fail(
        "AC002",
        node,
        f"{node.id!r} is a {type(value).__name__} of the module, which a model cannot read",
        "pass it in as part of the weights or of the instance",
    )
