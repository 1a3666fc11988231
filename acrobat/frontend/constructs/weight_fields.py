"""Fields of weights: `p.w`, `p.layers`, `p["w"]`, and tests for a weight that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import BOOL, TEXT, ParamsRef
from ..context import MISSING, FunctionContext
from ..function_values import FunctionValue
from ..registry import SUBSCRIPTS, subscript, truth_of
from ..scope import Env, Recover
from ..suggestions import suggest
from ..weight_numbers import of_names, weight_number
from ..weight_parts import form_of_type, in_parts, members_of, weight
from .constants import outside_value


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
        known = ctx.static(node, env)
        if known is not MISSING:
            return outside_value(ctx, node, known, ast.unparse(node))
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


def weight_by_key(ctx: FunctionContext, node: ast.Call, of: T.Atom, env: Env) -> T.Atom | None:
    """`p.get("w")`, `p.get("w", p["v"])`; None if `of` are no weights in a dict, or the key is not
    written out."""
    declarations = ctx.builder.declarations
    match node:
        case ast.Call(ast.Attribute(_, "get"), [ast.Constant(str(key)), *default], []):
            pass
        case _:
            return None
    if form_of_type(declarations, of.type) is not dict or len(default) > 1:
        return None
    assert isinstance(of.type, ParamsRef)
    if key in members_of(declarations, of.type.name):
        return weight(ctx, node, of, key)
    if default:
        return ctx.expression(default[0], env)
    none = ctx.let(T.Construct("None", ()), declarations.none(), node, key)
    ctx.optional.add(none.number)
    return none


@truth_of(ParamsRef)
def truth_of_weights(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom | None:
    """`if layer.shortcut` of weights that are there."""
    assert isinstance(value.type, ParamsRef)
    cls = ctx.builder.declarations.params[value.type.name].cls
    if form_of_type(ctx.builder.declarations, value.type) in (dict, list):
        return T.Const(bool(members_of(ctx.builder.declarations, value.type.name)), BOOL)
    own = any(hasattr(cls, name) for name in ("__bool__", "__len__"))
    return None if own else T.Const(True, BOOL)


def known_test(ctx: FunctionContext, test: ast.expr, env: Env) -> bool | None:
    """The result of a test for missing weights, of a number among the weights, or of the key of
    weights, which is known when the model is compiled; None for any other test."""
    match test:
        case ast.Attribute() | ast.Subscript() | ast.Name():
            number = weight_number(ctx, test, env)
            if number is not None:
                return bool(number.value)
            return False if _missing(ctx, test, env) else None
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
            a, b = _known_text(ctx, left, env), _known_text(ctx, right, env)
            if a is None and b is not None and _missing(ctx, left, env):
                return isinstance(op, ast.NotEq)  # None is no string
            return None if a is None or b is None else (a == b) == isinstance(op, ast.Eq)
        case ast.Compare(left, [ast.In() | ast.NotIn() as op], [ast.Tuple() | ast.List() as right]):
            a, *keys = (_known_text(ctx, e, env) for e in (left, *right.elts))
            return None if a is None or None in keys else (a in keys) == isinstance(op, ast.In)
    return None


def _known_text(ctx: FunctionContext, node: ast.expr, env: Env) -> str | None:
    """The string that `node` is, such as the key of weights in an unrolled loop; None if it is not
    known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and node.id in env.names:
        found = env.names[node.id]
        return str(found.value) if isinstance(found, T.Const) and found.type == TEXT else None
    known = ctx.static(node, env)
    return known if type(known) is str else None


def _missing(ctx: FunctionContext, node: ast.expr, env: Env) -> bool | None:
    """Whether the weight `node` is missing; None if it is not a weight that may be missing."""
    value: object = None
    if weight_number(ctx, node, env) is not None:
        return False
    if isinstance(node, ast.Name):
        value = env.names.get(node.id)
        if isinstance(value, FunctionValue):
            return False
    elif (owner_node := _read_from(node)) is not None:
        errors = len(ctx.reporter.errors)
        with ctx.region():
            try:
                inner = env.copy()  # an index may change something
                owner = ctx.peek(owner_node, inner) if of_names(owner_node, env) else None
                if owner is not None and isinstance(owner.type, ParamsRef):
                    value = ctx.peek(node, inner)
            except Recover:
                del ctx.reporter.errors[errors:]  # reported again when the test is lowered
    if not isinstance(value, T.Var) or value.number not in ctx.optional:
        return None
    return value.type == ctx.builder.declarations.none()


def _read_from(node: ast.expr) -> ast.expr | None:
    """Of which weights `node` would be one: `p.w`, `p["w"]`, `p.get("w")`."""
    match node:
        case ast.Call(ast.Attribute(owner, "get"), [ast.Constant(str())], []):
            return owner
        case ast.Attribute(owner) | ast.Subscript(owner):
            return owner
    return None
