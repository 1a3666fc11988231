"""Loops over numbers by which their bodies choose weights."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, ParamsRef, TupleType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..scope import Env
from ..sizes import constant
from ..syntax import names_in
from .iteration import number_in_loop


def numbering_weights(ctx: FunctionContext, node: ast.For, env: Env) -> IterationSpace | None:
    """The numbers of `for i in range(n)`, written out, if its body chooses weights of a list or
    parts of a tuple by them; None if it does not, or if they are not known."""
    if not isinstance(node.target, ast.Name) or not isinstance(node.iter, ast.Call):
        return None
    call, target = node.iter, node.target.id
    if ctx.static(call.func, env) is not range or not 1 <= len(call.args) <= 3:
        return None
    if not any(_chooses_weights(ctx, n, target, env) for s in node.body for n in ast.walk(s)):
        return None
    bounds = [constant(ctx, arg, env) for arg in call.args]
    if None in bounds or 0 in bounds[2:]:
        return None
    numbers = range(*(b for b in bounds if b is not None))
    if len(numbers) > MAX_UNROLLED:
        return None
    return IterationSpace.count(
        T.Const(len(numbers), INT),
        lambda i: T.Const(numbers[number_in_loop(i)], INT),
        len(numbers),
    )


def _chooses_weights(ctx: FunctionContext, node: ast.AST, index: str, env: Env) -> bool:
    """Whether `node` is `p.layers[i]` or the like."""
    if not isinstance(node, ast.Subscript) or index not in names_in(node.slice):
        return False
    match node.value:
        case ast.Name(name):
            value = env.names.get(name)
            chosen = value.type if isinstance(value, T.Var) else None
            return type(chosen) is TupleType
        case ast.Attribute(ast.Name(name), field):
            owner = env.names.get(name)
            if not isinstance(owner, T.Var) or not isinstance(owner.type, ParamsRef):
                return False
            variant = ctx.builder.declarations.variants.get(owner.type.name)
            return variant is not None and isinstance(variant.members.get(field), tuple)
    return False
