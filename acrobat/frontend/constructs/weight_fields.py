"""Fields of weights: `p.w`, `p.layers`, and tests for a weight that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import KeyedType, ParamsRef
from ..context import FunctionContext
from ..emit import make_tuple
from ..scope import Env, Recover
from ..suggestions import suggest
from ..weight_numbers import of_names, weight_number
from ..weight_structure import Member


def check_field(
    ctx: FunctionContext, node: ast.Attribute, owner: str, fields: Collection[str]
) -> None:
    """Report an error if a class of the author has no such field."""
    if node.attr not in fields:
        ctx.fail(
            "AC014",
            node,
            f"{authors(owner)} has no field {node.attr!r}",
            suggest(node.attr, fields) or f"its fields are {', '.join(fields) or 'none'}",
        )


def weight_field(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, owner: str) -> T.Atom:
    """A weight, nested params, a number, a tuple of these for a list or a dict, or None for a
    missing one."""
    assert isinstance(obj, T.Var)
    declarations = ctx.builder.declarations
    fields = dict(declarations.params[owner].fields)
    variant = declarations.variants.get(owner)
    members = {n: n for n in fields} if variant is None else variant.members
    check_field(ctx, node, owner, members)

    def read(member: Member) -> T.Atom:
        if isinstance(member, T.Const):
            return member
        if isinstance(member, tuple):
            return make_tuple(ctx, tuple(map(read, member)), node, node.attr)
        if isinstance(member, Mapping):
            parts = tuple(map(read, member.values()))
            t = KeyedType(tuple(p.type for p in parts), tuple(member))
            made = ctx.let(T.MakeTuple(parts), t, node, node.attr)
            ctx.parts[made.number] = parts
            return made
        if member is None:
            return ctx.let(T.Construct("None", ()), declarations.none(), node, node.attr)
        var = ctx.let(T.ParamRead(obj, member), fields[member], node, member)
        ctx.origins[var.number] = f"declared in {authors(owner)}"
        return var

    var = read(members[node.attr])
    if variant is not None and node.attr in variant.optional and isinstance(var, T.Var):
        ctx.optional.add(var.number)
    return var


def known_test(ctx: FunctionContext, test: ast.expr, env: Env) -> bool | None:
    """The result of a test for missing weights, or of a number among the weights, which is known
    when the model is compiled; None for any other test."""
    match test:
        case ast.Attribute():
            number = weight_number(ctx, test, env)
            return None if number is None else bool(number.value)
        case ast.UnaryOp(ast.Not(), operand):
            inner = known_test(ctx, operand, env)
            return None if inner is None else not inner
        case ast.BoolOp(op, values):
            decides = isinstance(op, ast.Or)
            known = [known_test(ctx, v, env) for v in values]
            if decides in known:
                return decides
            return None if None in known else not decides
        case ast.Compare(left, [ast.Is() | ast.IsNot() as op], [ast.Constant(None)]):
            missing = _missing(ctx, left, env)
            return None if missing is None else missing == isinstance(op, ast.Is)
    return None


def _missing(ctx: FunctionContext, node: ast.expr, env: Env) -> bool | None:
    """Whether the weight `node` is missing; None if it is not a weight that may be missing."""
    value: object = None
    if isinstance(node, ast.Attribute) and weight_number(ctx, node, env) is not None:
        return False
    if isinstance(node, ast.Name):
        value = env.names.get(node.id)
    elif isinstance(node, ast.Attribute):
        errors = len(ctx.reporter.errors)
        with ctx.region():
            try:
                owner = ctx.peek(node.value, env) if of_names(node.value, env) else None
                if owner is not None and isinstance(owner.type, ParamsRef):
                    value = ctx.peek(node, env)
            except Recover:
                del ctx.reporter.errors[errors:]  # reported again when the test is lowered
    if not isinstance(value, T.Var) or value.number not in ctx.optional:
        return None
    return value.type == ctx.builder.declarations.none()
