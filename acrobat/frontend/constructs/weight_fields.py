"""Fields of weights: `p.w`, `p.get("w")`, and tests for a weight that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import TEXT, ParamsRef
from ...lang.model import Model
from ..context import FunctionContext
from ..function_values import Closure, FunctionValue, Named
from ..known_parts import weights_named
from ..looking import looked_at
from ..scope import Env
from ..suggestions import suggest
from ..syntax import has_effect
from ..weight_numbers import of_names, weight_number
from ..weight_parts import form_of_type, members_of, weight
from .changed_results import changed_by
from .closures import closure_of, function_value


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
        if default and has_effect(default[0]):
            ctx.expression(default[0], env)  # evaluated all the same
        return weight(ctx, node, of, key)
    if default:
        return ctx.expression(default[0], env)
    none = ctx.let(T.Construct("None", ()), declarations.none(), node, key)
    ctx.optional.add(none.number)
    return none


def known_test(ctx: FunctionContext, test: ast.expr, env: Env) -> bool | None:
    """The result of a test for missing weights, of a number among the weights, or of the key of
    weights, which is known when the model is compiled; None for any other test, and for one that
    changes something: it is evaluated all the same."""
    if has_effect(test) or any(_changes(ctx, n) for n in ast.walk(test)):
        return None
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
            a, b = known_text(ctx, left, env), known_text(ctx, right, env)
            if a is None and b is not None and _missing(ctx, left, env):
                return isinstance(op, ast.NotEq)  # None is no string
            return None if a is None or b is None else (a == b) == isinstance(op, ast.Eq)
        case ast.Compare(left, [ast.In() | ast.NotIn() as op], [right]) if (
            keys := _keys_of(ctx, right, env)
        ) is not None:
            a = known_text(ctx, left, env)
            return None if a is None else (a in keys) == isinstance(op, ast.In)
        case ast.Compare(left, [ast.In() | ast.NotIn() as op], [ast.Tuple() | ast.List() as right]):
            a, *texts = (known_text(ctx, e, env) for e in (left, *right.elts))
            return None if a is None or None in texts else (a in texts) == isinstance(op, ast.In)
        case ast.Call(func, [_, _], []) if ctx.static(func, env) is hasattr:
            there = looked_at(ctx, test, env)
            return bool(there.value) if isinstance(there, T.Const) else None
    return None


def known_text(ctx: FunctionContext, node: ast.expr, env: Env) -> str | None:
    """The string that `node` is, such as the key of weights in an unrolled loop; None if it is not
    known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    found: object = None
    if isinstance(node, ast.Name) and node.id in env.names:
        found = env.names[node.id]
    elif _may_be_text(node, env):
        found = looked_at(ctx, node, env)
    if found is not None:
        return str(found.value) if isinstance(found, T.Const) and found.type == TEXT else None
    known = ctx.static(node, env)
    return known if type(known) is str else None


def _changes(ctx: FunctionContext, node: ast.AST) -> bool:
    """Whether `node` is a call that changes a set, or an argument."""
    match node:
        case ast.Call(ast.Attribute(_, "add" | "discard" | "update" | "remove")):
            return True
        case ast.Call(ast.Name() as func):
            found = function_value(ctx, func, Env())
            if isinstance(found, Named) and isinstance(found.found, Model):
                found = closure_of(ctx, found.found)
            return isinstance(found, Closure) and bool(changed_by(found.tree))
    return False


def _keys_of(ctx: FunctionContext, node: ast.expr, env: Env) -> Collection[str] | None:
    """The keys of the weights in a dict that `node` names; None if it names something else."""
    owner = weights_named(ctx.builder, node, env)
    declarations = ctx.builder.declarations
    if owner is None or form_of_type(declarations, ParamsRef(owner)) is not dict:
        return None
    return members_of(declarations, owner)


def _may_be_text(node: ast.expr, env: Env) -> bool:
    """Whether `node` is computed from a string that is known when the model is compiled."""
    match node:
        case ast.Constant(str()) | ast.JoinedStr() | ast.Call(ast.Name("str"), [_], []):
            return True
        case ast.Name(name):
            found = env.names.get(name)
            return isinstance(found, T.Const) and found.type == TEXT
        case ast.BinOp(left, ast.Add(), right):
            return _may_be_text(left, env) or _may_be_text(right, env)
        case ast.Call(ast.Name(), [*args], []):  # a function that puts a name together
            return any(_may_be_text(a, env) for a in args)
        case ast.Call(ast.Attribute(value)) | ast.Subscript(value):
            return _may_be_text(value, env)
    return False


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
        owner = looked_at(ctx, owner_node, env) if of_names(owner_node, env) else None
        if owner is not None and isinstance(owner.type, ParamsRef):
            value = looked_at(ctx, node, env)
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
