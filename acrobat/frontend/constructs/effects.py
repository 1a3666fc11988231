"""Expressions as statements: methods that change a list, `ab.phase()`, docstrings."""

from __future__ import annotations

import ast

from ...ir.types import DictType, ListType, QueueType, RecordType, SetType
from ...lang.model import phase
from ..context import FunctionContext
from ..registry import MUTATIONS, statement
from ..scope import Env, Poison
from ..syntax import MUTATING, does_nothing, root_name
from .dict_changes import CHANGES, changed_default, default_place
from .fields_call import FieldsCall
from .functions import begin_phase
from .items_in_turn import for_effects, passes_on
from .object_records import Opened, Renamed


@statement(ast.Expr)
def effect(ctx: FunctionContext, node: ast.Expr, env: Env) -> None:
    """`xs.append(x)`, `ab.phase()`, a docstring."""
    match node.value:
        case ast.Constant():
            return
        case (FieldsCall() | Opened() | Renamed()) as call:
            ctx.expression(call, env)
        case ast.ListComp() as each if passes_on(ctx, each):
            for_effects(ctx, each, env)
        case ast.Call(ast.Attribute(_, "setdefault")) as call if default_place(ctx, call, env):
            return
        case ast.Call(ast.Attribute(receiver)) as call if kind := _kind(ctx, receiver, env):
            _mutate(ctx, node, call, receiver, env, kind)
        case ast.Call(ast.Attribute(ast.Name(name), method)) as call if (
            env.is_dict(name) and method in CHANGES
        ):
            ctx.expression(call, env)
        case ast.Call(ast.Attribute(ast.Subscript() as receiver, method)) as call if (
            method in CHANGES and _is_list(receiver, env) and _has(ctx, receiver, DictType, env)
        ):
            ctx.expression(call, env)
        case ast.Call(ast.Attribute(ast.Call() as first, _)) as call if left := changed_default(
            ctx, call, first, env
        ):
            assert isinstance(left.func, ast.Attribute)
            inner = _kind(ctx, left.func.value, env) or ListType
            _mutate(ctx, node, left, left.func.value, env, inner)
        case ast.Call(ast.Attribute(receiver, _)) as call if _is_list(receiver, env):
            _mutate(ctx, node, call, receiver, env)
        case ast.Call(ast.Attribute(receiver, _)) if _is_wrong(receiver, env):
            return
        case ast.Call(ast.Attribute(ast.Attribute(owner, field) as receiver, method)) if (
            method in MUTATING and _has(ctx, receiver, ListType, env)
        ):
            text = ast.unparse(receiver)
            ctx.error(
                "AC015",
                node,
                f"{text}.{method} changes a field of a {ctx.peek(owner, env).type}, whose values "
                "cannot be changed",
                f"a list of this function's own, `{field} = [*{text}]`",
            )
        case ast.Call(func, [], []) if ctx.static(func, env) is phase:
            begin_phase(ctx, node)
        case ast.Call(func) if ctx.static(func, env) is print:
            ctx.error(
                "AC001",
                node,
                "a compiled model prints nothing",
                "`ACROBAT_DISABLE=1`, which runs the model as plain Python, while it has a `print`",
            )
        case _:
            if isinstance(node.value, (ast.Call, ast.Yield, ast.YieldFrom, ast.Await)):
                # The error that it is not part of the language is more specific.
                ctx.expression(node.value, env)
            if does_nothing(node):
                return
            ctx.error(
                "AC001",
                node,
                "the value of this expression is not used",
                "assign it or delete it; model functions have no side effects",
            )


def _is_list(node: ast.expr, env: Env) -> bool:
    name = root_name(node)
    in_dict = isinstance(node, ast.Subscript) and env.is_dict(name or "")
    return name is not None and (in_dict or env.is_list(name))


def _has(ctx: FunctionContext, node: ast.expr, t: type[ListType | DictType], env: Env) -> bool:
    with ctx.region():
        return isinstance(ctx.peek(node, env.copy()).type, t)


def _kind(ctx: FunctionContext, node: ast.expr, env: Env) -> type[SetType] | type[QueueType] | None:
    """The kind of a set that may change, or of a queue, which `node` stands for."""
    name = root_name(node)
    if name is None or not (env.is_dict(name) or env.is_list(name)):
        return None
    with ctx.region():
        t = ctx.peek(node, env.copy()).type
    if isinstance(t, QueueType):
        return QueueType
    return SetType if isinstance(t, SetType) and not t.frozen else None


def _is_wrong(node: ast.expr, env: Env) -> bool:
    """Whether the name that `node` begins with has an error, reported where the name is bound."""
    name = root_name(node)
    return name is not None and isinstance(env.names.get(name), Poison)


def _mutate(
    ctx: FunctionContext,
    node: ast.Expr,
    call: ast.Call,
    receiver: ast.expr,
    env: Env,
    kind: type[ListType | DictType] = ListType,
) -> None:
    """`xs.append(x)` and the like."""
    name = ast.unparse(receiver)
    assert isinstance(call.func, ast.Attribute)
    method = MUTATIONS.get((kind, call.func.attr))
    takes = method is not None and method.arity.takes(len(call.args))
    if method is not None and takes and (method.keywords or not call.keywords):
        method.lower(ctx, call, name, env)
        return
    with ctx.region():
        t = ctx.peek(receiver, env.copy()).type
    if isinstance(t, RecordType):
        ctx.error(
            "AC030",
            node,
            f"{call.func.attr} may change this {t.name}, whose fields may be known by other names",
            f"lists that {t.name}.__init__ makes, `self.xs = list(xs)`, and no other name for them",
        )
        return
    what, other, operator = _INSTEAD[kind]
    ctx.error(
        "AC015",
        node,
        f"{name}.{call.func.attr} changes a {what}",
        f"`{name}.{other}(x)`, or a new {what}: `{name} = {name} {operator} ...`",
    )


# What a kind is called, a method that it has, and an operator.
_INSTEAD = {
    ListType: ("list", "append", "+"),
    SetType: ("set", "add", "|"),
    QueueType: ("deque", "append", "+"),
}


@statement(ast.Pass)
def nothing(ctx: FunctionContext, node: ast.Pass, env: Env) -> None:
    """`pass`."""
