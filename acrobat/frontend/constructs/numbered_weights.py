"""Loops whose bodies choose weights, or parts of tensors, by the loop's number or string."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from ...ir import typed as T
from ...ir.types import INT, KeyedType, ParamsRef, StackType, TupleType
from ...lang.made_weights import COLLECTIONS
from ...limits import MAX_PARTS
from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..known_parts import weights_named
from ..scope import Env
from ..sizes import constant
from ..syntax import names_in
from ..weight_parts import form_of_type, members_of
from .chosen_columns import chooses_parts
from .iteration import iteration_space, number_in_loop
from .naming_parameters import passes_name
from .spelled_loops import spelled


def written_out(
    ctx: FunctionContext,
    loop: ast.For | ast.comprehension,
    body: Sequence[ast.AST],
    env: Env,
) -> IterationSpace | None:
    """The unrolled iterations of `for i in range(n)` or `for k in ["a", "b"]` and the like, if
    `body` uses the number or string to choose weights of a list or a dict, parts of a tuple, or
    columns. None if it does not, or if the numbers or strings are not known."""
    inside = [n for s in body for n in ast.walk(s)]
    found = spelled(ctx, loop.target, loop.iter, env)
    if found is not None and found.mixed:
        return iteration_space(ctx, found.items, env)
    if found is not None:
        for names, are_texts in ((found.texts, True), (found.numbers, False)):
            named = {n for name in names for n in _named_by(body, name)}
            if any(_chooses_weights(ctx, n, named, are_texts, env) for n in inside):
                return iteration_space(ctx, found.items, env)
    if not isinstance(loop.target, ast.Name) or not isinstance(loop.iter, ast.Call):
        return None
    if ctx.static(loop.iter.func, env) is not range or not 1 <= len(loop.iter.args) <= 3:
        return None
    if not chooses_parts(ctx, body, loop.target.id, env):
        return None
    bounds = [constant(ctx, arg, env) for arg in loop.iter.args]
    if None in bounds or 0 in bounds[2:]:
        return None
    counted = range(*(b for b in bounds if b is not None))
    if len(counted) > MAX_PARTS:
        return None
    return IterationSpace.count(
        T.Const(len(counted), INT),
        lambda i: T.Const(counted[number_in_loop(i)], INT),
        len(counted),
    )


def _chooses_weights(
    ctx: FunctionContext, node: ast.AST, numbers: Collection[str], are_texts: bool, env: Env
) -> bool:
    """Whether `node` is `p.layers[i]`, `p[f"w{i}"]`, `getattr(p, f"w{i}")` or the like, or a matrix
    of a stack, `q[:, i]`, for one of these numbers or strings."""
    match node:
        case ast.Call(func, [_, key, *_]) if ctx.static(func, env) in (getattr, hasattr):
            return not names_in(key).isdisjoint(numbers)
        case ast.Call():
            return passes_name(ctx, node, numbers, are_texts)
        case ast.Subscript(value, index) if not names_in(index).isdisjoint(numbers):
            pass
        case _:
            return False
    declarations = ctx.builder.declarations
    owner = weights_named(ctx.builder, value, env)
    if owner is not None:
        return form_of_type(declarations, ParamsRef(owner)) in COLLECTIONS
    match value:
        case ast.Name(name):
            found = env.names.get(name)
            chosen = found.type if isinstance(found, T.Var) else None
            return type(chosen) in (TupleType, KeyedType, StackType)
        case ast.Attribute(of, field) | ast.Subscript(of, ast.Constant(str(field))):
            owner = weights_named(ctx.builder, of, env)
            members = {} if owner is None else members_of(declarations, owner)
            return isinstance(members.get(field), (tuple, Mapping))
    return False


def _named_by(body: Sequence[ast.AST], number: str) -> set[str]:
    """The number of a loop, and names for what is computed from it: `name = f"w{i}"`."""
    found = {number}
    for node in (n for s in body for n in ast.walk(s)):
        match node:
            case ast.Assign([ast.Name(name)], value) if _is_known(value, found):
                found.add(name)
    return found


def _is_known(value: ast.expr, numbers: set[str]) -> bool:
    """Whether a value is computed from these numbers and constants alone."""
    names = names_in(value) - {"str"}
    calls = any(isinstance(n, ast.Call) and ast.unparse(n.func) != "str" for n in ast.walk(value))
    return bool(names) and names <= numbers and not calls
