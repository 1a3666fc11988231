"""Loops whose bodies choose weights, or parts of tensors, by the loop's number or string."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...ir import typed as T
from ...ir.types import INT, KeyedType, ParamsRef, StackType, TupleType
from ...limits import MAX_PARTS, MAX_UNROLLED
from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..scope import Env
from ..sizes import constant
from ..syntax import names_in
from ..weight_parts import members_of
from .chosen_columns import chooses_parts
from .iteration import number_in_loop


def written_out(
    ctx: FunctionContext,
    loop: ast.For | ast.comprehension,
    body: Sequence[ast.AST],
    env: Env,
) -> IterationSpace | None:
    """The unrolled iterations of `for i in range(n)` or `for k in ["a", "b"]`, if `body` uses the
    number or string to choose weights of a list or a dict, parts of a tuple, or columns. None if it
    does not, or if the numbers or strings are not known."""
    if not isinstance(loop.target, ast.Name):
        return None
    call, target = loop.iter, loop.target.id
    keys = _strings(ctx, call, env)
    if keys is None and (
        not isinstance(call, ast.Call)
        or ctx.static(call.func, env) is not range
        or not 1 <= len(call.args) <= 3
    ):
        return None
    most = MAX_UNROLLED
    if not any(_chooses_weights(ctx, n, target, env) for s in body for n in ast.walk(s)):
        most = MAX_PARTS if keys is None and chooses_parts(ctx, body, target, env) else 0
    if not most:
        return None
    if keys is not None:
        texts = [ctx.builder.text(k) for k in keys]
        count = T.Const(len(texts), INT)
        return IterationSpace.count(count, lambda i: texts[number_in_loop(i)], len(texts))
    assert isinstance(call, ast.Call)
    bounds = [constant(ctx, arg, env) for arg in call.args]
    if None in bounds or 0 in bounds[2:]:
        return None
    numbers = range(*(b for b in bounds if b is not None))
    if len(numbers) > most:
        return None
    return IterationSpace.count(
        T.Const(len(numbers), INT),
        lambda i: T.Const(numbers[number_in_loop(i)], INT),
        len(numbers),
    )


def _strings(ctx: FunctionContext, node: ast.expr, env: Env) -> list[str] | None:
    """The items of a list of strings that is written out or defined by the module."""
    items = ctx.static(node, env)
    if isinstance(node, ast.List):
        items = [e.value if isinstance(e, ast.Constant) else None for e in node.elts]
    known = isinstance(items, list) and 0 < len(items) <= MAX_UNROLLED
    return items if known and all(type(i) is str for i in items) else None


def _chooses_weights(ctx: FunctionContext, node: ast.AST, index: str, env: Env) -> bool:
    """Whether `node` is `p.layers[i]` or the like, or a matrix of a stack, `q[:, i]`."""
    if not isinstance(node, ast.Subscript) or index not in names_in(node.slice):
        return False
    match node.value:
        case ast.Name(name):
            value = env.names.get(name)
            chosen = value.type if isinstance(value, T.Var) else None
            return type(chosen) in (TupleType, KeyedType, StackType)
        case ast.Attribute(ast.Name(name), field) | ast.Subscript(
            ast.Name(name), ast.Constant(str(field))
        ):
            owner = env.names.get(name)
            if not isinstance(owner, T.Var) or not isinstance(owner.type, ParamsRef):
                return False
            members = members_of(ctx.builder.declarations, owner.type.name)
            return isinstance(members.get(field), (tuple, Mapping))
    return False
