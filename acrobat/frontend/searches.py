"""Loops that end at the first item that they look for, and keys in the list of a dict's keys."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.type_queries import has_no_value
from ..ir.types import BOOL, INT, ListType, TupleType, Type
from .context import FunctionContext
from .emit import ONE, ZERO, length, list_op

_TRUE = T.Const(True, BOOL)


def find(ctx: FunctionContext, node: ast.AST, keys: T.Atom, key: T.Atom) -> T.Var:
    """The index of a key in the list `keys` of its type, -1 if it is not there."""
    assert isinstance(keys.type, ListType)
    if not _has_list(keys.type.item):
        return list_op(ctx, "find", (keys, key), INT, node)
    index = T.Var("i", INT)
    stop = length(ctx, keys, node)
    with ctx.region() as stmts:
        item = list_op(ctx, "get", (keys, index), keys.type.item, node)
        other = ctx.let(T.Scalar("not", (_same(ctx, node, item, key),)), BOOL, node, "b")
    missing = T.Const(False, BOOL)
    found, at = ending_where(ctx, node, index, stop, stmts, other, missing, found=True)
    out = ctx.computed("at", INT, node)
    regions = T.Region((), T.Yield((at,))), T.Region((), T.Yield((T.Const(-1, INT),)))
    ctx.stmts.append(T.If((out,), found, *regions, ctx.span(node)))
    return out


def _has_list(t: Type) -> bool:
    return isinstance(t, ListType) or (isinstance(t, TupleType) and any(map(_has_list, t.items)))


def _same(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Atom:
    """Whether two keys of one type are equal. Where they may be None, what is not there is the
    same everywhere (optional_keys.py)."""
    if isinstance(a.type, ListType) and isinstance(b.type, ListType):
        return _same_lists(ctx, node, a, b)
    if not isinstance(a.type, TupleType):
        return ctx.let(T.Scalar("==", (a, b)), BOOL, node, "b")
    assert isinstance(a, T.Var) and isinstance(b, T.Var)
    result: T.Atom = _TRUE
    for i, t in enumerate(a.type.items):
        parts = [ctx.let(T.GetItem(x, i), t, node, "part") for x in (a, b)]
        result = ctx.let(T.Scalar("and", (result, _same(ctx, node, *parts))), BOOL, node, "b")
    return result


def _same_lists(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var:
    assert isinstance(a.type, ListType)
    lengths = length(ctx, a, node), length(ctx, b, node)
    as_many = ctx.let(T.Scalar("==", lengths), BOOL, node, "b")
    if any(isinstance(x.type, ListType) and has_no_value(x.type.item) for x in (a, b)):
        return as_many
    stop = ctx.computed("stop", INT, node)
    regions = T.Region((), T.Yield((lengths[0],))), T.Region((), T.Yield((ZERO,)))
    ctx.stmts.append(T.If((stop,), as_many, *regions, ctx.span(node)))
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        items = [list_op(ctx, "get", (x, index), a.type.item, node) for x in (a, b)]
        same = _same(ctx, node, *items)
    return ending_where(ctx, node, index, stop, stmts, same, as_many, found=False)[0]


def ending_where(
    ctx: FunctionContext,
    node: ast.AST,
    index: T.Var,
    stop: T.Atom,
    stmts: list[T.Stmt],
    going: T.Atom,
    init: T.Atom,
    found: bool,
) -> tuple[T.Var, T.Var]:
    """Emit a loop that ends at the first item for which `going` is false. The results are `found`
    if there is such an item, else `init`; and the index of that item."""
    so_far, at = T.Var("found", BOOL), T.Var("at", INT)
    outs = T.Var("found", BOOL), T.Var("at", INT)
    leave = T.Region((), T.Break((T.Const(found, BOOL), index)))
    stmts.append(T.If((), going, T.Region((), T.Yield(())), leave, ctx.span(node)))
    body = T.Region(tuple(stmts), T.Yield((so_far, at)))
    ctx.stmts.append(
        T.For(outs, index, ZERO, stop, ONE, (so_far, at), (init, ZERO), body, ctx.span(node))
    )
    return outs
