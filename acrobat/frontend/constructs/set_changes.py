"""Changes of a set that the function owns: `s.add(x)`, `s -= t`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import SetType, Type
from ..context import FunctionContext
from ..dict_lists import Lists, empty, find_key, has_no_keys, known_key, lists_of
from ..emit import list_op
from ..operators import symbol
from ..places import Place, put
from ..registry import Arity, mutation
from ..scope import Env
from ..set_values import made_set, with_item
from .dict_changes import own_dict
from .sets import OPERATORS, as_set, combined


def _own(ctx: FunctionContext, node: ast.Call, env: Env) -> tuple[Place, Lists]:
    """The set whose method is called, and its lists."""
    assert isinstance(node.func, ast.Attribute)
    where = own_dict(ctx, node.func.value, env)
    return where, lists_of(ctx, where.value, node)


def _becomes(ctx: FunctionContext, node: ast.Call, where: Place, lists: Lists, env: Env) -> None:
    """The set at a place becomes that of other lists."""
    put(ctx, where, made_set(ctx, lists, node, where.name), node, env)


@mutation(SetType, "add", Arity(1, 1))
def add(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`s.add(x)`."""
    (source,) = node.args
    item = ctx.expression(source, env)
    where, lists = _own(ctx, node, env)
    _becomes(ctx, node, where, with_item(ctx, node, lists, source, item), env)


@mutation(SetType, "discard", Arity(1, 1))
def discard(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`s.discard(x)`."""
    (source,) = node.args
    item = ctx.expression(source, env)
    where, lists = _own(ctx, node, env)
    if has_no_keys(lists[0]):
        return
    at, there = find_key(ctx, source, lists[0], item)
    with ctx.region() as stmts:
        less = tuple(list_op(ctx, "remove", (x, at), x.type, node) for x in lists)
    outs = T.Var("keys", lists[0].type), T.Var("values", lists[1].type)
    regions = T.Region(tuple(stmts), T.Yield(less)), T.Region((), T.Yield(lists))
    ctx.stmts.append(T.If(outs, there, *regions, ctx.span(node)))
    _becomes(ctx, node, where, outs, env)


@mutation(SetType, "remove", Arity(1, 1))
def remove(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`s.remove(x)`; the instance is at fault if x is not in the set."""
    (source,) = node.args
    item = ctx.expression(source, env)
    where, lists = _own(ctx, node, env)
    at = known_key(ctx, node, source, lists[0], item)
    if at is not None:
        keys, values = (list_op(ctx, "remove", (x, at), x.type, node) for x in lists)
        _becomes(ctx, node, where, (keys, values), env)


@mutation(SetType, "clear", Arity(0, 0))
def clear(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """`s.clear()`."""
    where, _ = _own(ctx, node, env)
    _becomes(ctx, node, where, empty(ctx, node), env)


def _update(name: str, operation: str) -> None:
    @mutation(SetType, name, Arity(1, 1))
    def lower(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
        assert isinstance(node.func, ast.Attribute)
        other = as_set(ctx, node.args[0], env)
        _combines(ctx, node, node.func.value, operation, other, env)


for _name, _operation in (
    ("update", "union"),
    ("intersection_update", "intersection"),
    ("difference_update", "difference"),
    ("symmetric_difference_update", "symmetric_difference"),
):
    _update(_name, _operation)


def changes_set(op: ast.operator, t: Type) -> bool:
    """Whether `x |= y` and the like change the value of `x`, of type `t`, which is a set."""
    return isinstance(t, SetType) and not t.frozen and type(op) in OPERATORS


def changed_by_operator(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """`s |= t`, `s &= t`, `s -= t`, `s ^= t` of a set that this function owns."""
    other = ctx.peek(node.value, env)
    if not isinstance(other.type, SetType):
        text = ast.unparse(node.value)
        ctx.fail(
            "AC017",
            node.value,
            f"`{symbol(node.op)}=` of a set takes a set, this is {other.type}",
            f"`set({text})`",
        )
    _combines(ctx, node, node.target, OPERATORS[type(node.op)], other, env)


def _combines(
    ctx: FunctionContext, node: ast.AST, owner: ast.expr, method: str, other: T.Atom, env: Env
) -> None:
    where = own_dict(ctx, owner, env)
    at = ast.copy_location(ast.Name("_", ast.Load()), node)
    put(ctx, where, combined(ctx, at, method, where.value, other), node, env)
