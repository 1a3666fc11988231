"""Loops: `for`, `while`, `break`, `continue`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.exits import Exits
from ...ir.types import INT
from ..blocks import block
from ..carried import Body, carry, leave, loop_results
from ..conditions import condition
from ..context import FunctionContext
from ..narrowing import narrow
from ..registry import statement
from ..scope import Env
from ..syntax import names_assigned, names_in
from ..targets import assign
from .iteration import iteration_space, lists_of


@statement(ast.For)
def for_(ctx: FunctionContext, node: ast.For, env: Env) -> None:
    """`for target in ...:`."""
    _refuse_else(ctx, node)
    space = iteration_space(ctx, node.iter, env)
    iterated = lists_of(ctx, node.iter, env)

    def iteration(inner: Env) -> Body[T.Var]:
        index = T.Var("i", INT)
        with ctx.region() as before:
            assign(ctx, node.target, space.item(index), inner)
        return Body(index, *block(ctx, node.body, inner, tuple(before)))

    ctx.iterated += iterated
    try:
        names = names_assigned(node.body)
        loop = carry(ctx, node, names, env, iteration)
    finally:
        del ctx.iterated[len(ctx.iterated) - len(iterated) :]
    outs = loop_results(ctx, node, loop.carried, env, names | names_in(node.target))
    ctx.stmts.append(
        T.For(
            outs,
            loop.head,
            space.start,
            space.stop,
            space.step,
            tuple(loop.carried.values()),
            loop.inits,
            loop.body,
            ctx.span(node),
        )
    )


@statement(ast.While)
def while_(ctx: FunctionContext, node: ast.While, env: Env) -> T.Unreachable | None:
    """`while test:`."""
    _refuse_else(ctx, node)

    def iteration(inner: Env) -> Body[T.Region]:
        with ctx.region() as stmts:
            cond = condition(ctx, node.test, inner)
        before = narrow(ctx, node.test, True, inner)
        head = T.Region(tuple(stmts), T.Yield((cond,)))
        return Body(head, *block(ctx, node.body, inner, before))

    names = names_assigned(node.body)
    loop = carry(ctx, node, names, env, iteration)
    forever = isinstance(node.test, ast.Constant) and node.test.value is True
    statement = T.While((), loop.head, (), (), loop.body)
    if forever and not loop.breaks and not Exits().returns(statement):
        ctx.error(
            "AC033", node, "this loop has no `break` and no `return`", "`while` with a condition"
        )
    outs = loop_results(ctx, node, loop.carried, env, names)
    carried = tuple(loop.carried.values())
    ctx.stmts.append(T.While(outs, loop.head, carried, loop.inits, loop.body, ctx.span(node)))
    return T.Unreachable() if forever and not loop.breaks else None


def _refuse_else(ctx: FunctionContext, node: ast.For | ast.While) -> None:
    if node.orelse:
        ctx.fail("AC001", node.orelse[0], "`else` of a loop", "an `if` behind the loop")


@statement(ast.Break, ast.Continue)
def leave_iteration(
    ctx: FunctionContext, node: ast.Break | ast.Continue, env: Env
) -> T.Break | T.Continue:
    """`break`, `continue`."""
    loop = ctx.loops[-1]  # Python itself refuses these outside of a loop
    values = leave(ctx, node, loop, env)
    if isinstance(node, ast.Break):
        loop.breaks = True
        loop.left.append(set(env.owned))
        return T.Break(values)
    loop.owned.append(set(env.owned))
    return T.Continue(values)
