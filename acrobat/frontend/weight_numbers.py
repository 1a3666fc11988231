"""Numbers among the weights: `p.heads`, `p["heads"]`, known when the model is compiled."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import ParamsRef
from .context import FunctionContext
from .looking import looked_at
from .scope import Env
from .weight_parts import form_of_type, members_of


def weight_number(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Const | None:
    """The number that `node` names as a field of weights; None if it names something else."""
    match node:
        case ast.Attribute(value, name) | ast.Subscript(value, ast.Constant(str(name))):
            pass
        case _:
            return None
    if not of_names(value, env):
        return None
    owner = looked_at(ctx, value, env)
    if owner is None or not isinstance(owner.type, ParamsRef):
        return None
    if (
        isinstance(node, ast.Subscript)
        and form_of_type(ctx.builder.declarations, owner.type) is not dict
    ):
        return None
    member = members_of(ctx.builder.declarations, owner.type.name).get(name)
    return member if isinstance(member, T.Const) else None


def of_names(node: ast.expr, env: Env) -> bool:
    """Whether `node` consists of local names, fields and parts of them."""
    match node:
        case ast.Name(name):
            return name in env.names
        case ast.Attribute(value) | ast.Subscript(value):
            return of_names(value, env)
    return False
