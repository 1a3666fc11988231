"""Fields of weights: `p.w`, `p.layers`, `p["w"]`, and tests for a weight that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import TEXT, ParamsRef
from ..context import FunctionContext
from ..registry import SUBSCRIPTS, subscript
from ..scope import Env, Recover
from ..suggestions import suggest
from ..weight_numbers import of_names, weight_number
from ..weight_parts import form_of_type, in_parts, members_of, weight


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


def weight_field(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom) -> T.Atom:
    """`p.w`."""
    assert isinstance(obj.type, ParamsRef)
    check_field(ctx, node, obj.type.name, members_of(ctx.builder.declarations, obj.type.name))
    return weight(ctx, node, obj, node.attr)


@subscript(ParamsRef)
def item_of_weights(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`p["w"]` of weights in a dict, `p[0]` of weights in a list."""
    assert isinstance(obj.type, ParamsRef)
    declarations = ctx.builder.declarations
    form, members = form_of_type(declarations, obj.type), members_of(declarations, obj.type.name)
    if form is dict and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        key = node.slice.value
        if key not in members:
            ctx.fail(
                "AC014",
                node.slice,
                f"{ast.unparse(node.value)} has no key {key!r}",
                suggest(key, members) or f"its keys are {', '.join(map(repr, members))}",
            )
        return weight(ctx, node, obj, key)
    if form in (dict, list):
        parts = in_parts(ctx, node, obj)
        return SUBSCRIPTS[type(parts.type)](ctx, node, parts, env)
    ctx.fail(
        "AC027",
        node,
        f"{ast.unparse(node.value)} are weights of a class, and have no items",
        f"a field of them, `{ast.unparse(node.value)}.{next(iter(members), 'w')}`",
    )


def known_test(ctx: FunctionContext, test: ast.expr, env: Env) -> bool | None:
    """The result of a test for missing weights, of a number among the weights, or of the key of
    weights, which is known when the model is compiled; None for any other test."""
    match test:
        case ast.Attribute() | ast.Subscript():
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
        case ast.Compare(left, [ast.Eq() | ast.NotEq() as op], [right]):
            a, b = _known_text(left, env), _known_text(right, env)
            return None if a is None or b is None else (a == b) == isinstance(op, ast.Eq)
        case ast.Compare(left, [ast.In() | ast.NotIn() as op], [ast.Tuple() | ast.List() as right]):
            a, keys = _known_text(left, env), [_known_text(e, env) for e in right.elts]
            return None if a is None or None in keys else (a in keys) == isinstance(op, ast.In)
    return None


def _known_text(node: ast.expr, env: Env) -> str | None:
    """The string that `node` is, as the key of weights in an unrolled loop; None if it is not
    known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    found = env.names.get(node.id) if isinstance(node, ast.Name) else None
    return str(found.value) if isinstance(found, T.Const) and found.type == TEXT else None


def _missing(ctx: FunctionContext, node: ast.expr, env: Env) -> bool | None:
    """Whether the weight `node` is missing; None if it is not a weight that may be missing."""
    value: object = None
    if weight_number(ctx, node, env) is not None:
        return False
    if isinstance(node, ast.Name):
        value = env.names.get(node.id)
    elif isinstance(node, (ast.Attribute, ast.Subscript)):
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
