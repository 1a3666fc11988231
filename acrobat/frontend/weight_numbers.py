"""Numbers among the weights: `p.heads`, known when the model is compiled with them."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import ParamsRef
from .context import FunctionContext
from .scope import Env, Recover


def weight_number(ctx: FunctionContext, node: ast.Attribute, env: Env) -> T.Const | None:
    """The number that `node` names as a field of weights; None if it names something else."""
    if not of_names(node.value, env):
        return None
    errors = len(ctx.reporter.errors)
    with ctx.region():
        try:
            owner = ctx.peek(node.value, env)
        except Recover:
            del ctx.reporter.errors[errors:]  # found again where the whole is lowered
            return None
    if not isinstance(owner.type, ParamsRef):
        return None
    variant = ctx.builder.declarations.variants.get(owner.type.name)
    member = None if variant is None else variant.members.get(node.attr)
    return member if isinstance(member, T.Const) else None


def of_names(node: ast.expr, env: Env) -> bool:
    """Whether `node` consists of local names, fields and parts of them."""
    match node:
        case ast.Name(name):
            return name in env.names
        case ast.Attribute(value) | ast.Subscript(value):
            return of_names(value, env)
    return False
