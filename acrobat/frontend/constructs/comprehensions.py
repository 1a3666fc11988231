"""Comprehensions: every iteration by itself."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, ListType
from ..conditions import condition
from ..context import FunctionContext
from ..emit import ZERO, length, list_op
from ..narrowing import narrow
from ..registry import expression
from ..scope import Env
from ..syntax import names_in
from ..targets import assign
from .iteration import counted
from .lists import refuse_weights


@expression(ast.ListComp)
def comprehension(ctx: FunctionContext, node: ast.ListComp, env: Env) -> T.Var:
    """`[f(x) for x in xs if c]`."""
    if len(node.generators) != 1:
        ctx.fail(
            "AC002",
            node,
            "a comprehension with two `for`",
            "a comprehension inside a comprehension, or loops",
        )
    (generator,) = node.generators
    if generator.is_async:
        ctx.fail("AC002", node, "`async` is not part of the language", "a plain `for`")
    space = counted(ctx, generator.iter, env)
    index = T.Var("i", INT)
    inner = env.copy()
    with ctx.region() as stmts:
        assign(ctx, generator.target, space.item(index), inner)
        if generator.ifs:
            test = generator.ifs[0]
            if len(generator.ifs) > 1:
                test = ast.copy_location(ast.BoolOp(ast.And(), list(generator.ifs)), node)
            value, end = _kept(ctx, node, test, inner)
        else:
            value = ctx.expression(node.elt, inner)
            end = T.Yield((value,))
    body = T.Region(tuple(stmts), end)
    env.owned &= inner.owned
    refuse_weights(ctx, node.elt, value)
    if generator.ifs:
        return _filtered(ctx, node, index, space.stop, body, value)
    out = T.Var("items", ListType(value.type))
    ctx.stmts.append(T.Map((out,), index, space.stop, body, False, ctx.span(node)))
    return out


def _kept(
    ctx: FunctionContext, node: ast.ListComp, test: ast.expr, env: Env
) -> tuple[T.Atom, T.Yield]:
    """The element where the filter holds, in a list of one item; else an empty list: an element
    must not be computed where the filter says that it cannot be."""
    keep = condition(ctx, test, env)
    with ctx.region() as then:
        then += narrow(ctx, test, True, env, names_in(node.elt))
        value = ctx.expression(node.elt, env)
        one = list_op(ctx, "make", (value,), ListType(value.type), node)
    with ctx.region() as orelse:
        none = list_op(ctx, "make", (), ListType(value.type), node)
    out = T.Var("kept", ListType(value.type))
    branches = T.Region(tuple(then), T.Yield((one,))), T.Region(tuple(orelse), T.Yield((none,)))
    ctx.stmts.append(T.If((out,), keep, *branches, ctx.span(node)))
    return out, T.Yield((keep, out))


def _filtered(
    ctx: FunctionContext,
    node: ast.ListComp,
    index: T.Var,
    count: T.Atom,
    body: T.Region,
    kept: T.Atom,
) -> T.Var:
    """The items that were kept, out of their lists of one."""
    lists = T.Var("kept", ListType(kept.type))
    ctx.stmts.append(T.Map((lists,), index, count, body, True, ctx.span(node)))
    assert isinstance(kept.type, ListType)
    again, i = T.Var("items", kept.type), T.Var("i", INT)
    with ctx.region() as stmts:
        one = list_op(ctx, "get", (lists, i), kept.type, node)
        item = list_op(ctx, "get", (one, ZERO), kept.type.item, node)
    region = T.Region(tuple(stmts), T.Yield((item,)))
    number = length(ctx, lists, node)
    ctx.stmts.append(T.Map((again,), i, number, region, False, ctx.span(node)))
    return again
