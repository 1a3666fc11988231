"""Loops: `for`, `while`, `break`, `continue`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.exits import Exits
from ...ir.types import BOOL, INT
from ...limits import MAX_UNROLLED
from ..blocks import block, run
from ..carried import Body, carry, leave, loop_results
from ..conditions import condition
from ..context import FunctionContext
from ..escaping import lend, own_items
from ..inner_loops import loop_keys
from ..narrowing import narrow
from ..never_run import never_run
from ..registry import statement
from ..scope import Env
from ..syntax import has_effect, jumps, names_assigned, names_in, view_owners
from ..targets import assign
from ..unassigned import read_after
from ..unroll import Unrolling
from .endings import with_else
from .generators import check_loop
from .iterated_lists import counter, lists_of
from .iteration import iteration_space
from .lazy_iterables import check_lazy_calls
from .numbered_weights import written_out
from .spread_lists import counted_out
from .weight_fields import known_test


@statement(ast.For)
def for_(ctx: FunctionContext, node: ast.For, env: Env) -> T.End | None:
    """`for target in ...:`."""
    if node.orelse:
        return with_else(ctx, node, env)
    iterated = lists_of(ctx, node.iter, env)
    items = own_items(iterated, env)
    views = view_owners(node.iter) & env.owned
    space = iteration_space(ctx, node.iter, env)
    check_loop(ctx, node, env)
    check_lazy_calls(ctx, node, env)
    env.owned |= items | views
    if space.unrolled is None:
        space = written_out(ctx, node, node.body, env) or counted_out(ctx, node, space) or space
    if space.unrolled is not None:
        ctx.iterated += iterated
        try:
            return Unrolling(ctx, node, space).run(env)
        finally:
            del ctx.iterated[len(ctx.iterated) - len(iterated) :]

    def iteration(inner: Env) -> Body[T.Var]:
        index = T.Var("i", INT)
        with ctx.region() as before:
            assign(ctx, node.target, space.item(index), inner)
        lend(node.target, items, inner, outlives=_values(env))
        counted = inner.names.get(counter(ctx, node, inner) or "")
        if isinstance(counted, T.Var):
            ctx.counters.update(dict.fromkeys(iterated, counted))
        return Body(index, *block(ctx, node.body, inner, tuple(before)))

    counters, level, keys = dict(ctx.counters), ctx.level, ctx.loop_keys
    ctx.iterated += iterated
    ctx.loop_keys = [*keys, *loop_keys(ctx, node.iter, env)]
    names = names_assigned(node.body) | (names_in(node.target) & read_after(ctx, node))
    try:
        with never_run(ctx, node.iter, space, env) as skipped:
            loop = carry(ctx, node, names, env, iteration)
    finally:
        del ctx.iterated[len(ctx.iterated) - len(iterated) :]
        ctx.counters, ctx.level, ctx.loop_keys = counters, level, keys
    if skipped:
        loop_results(ctx, node, {}, env, (names | names_in(node.target)) - set(env.names))
        return None
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
    return None


def _values(env: Env) -> set[str]:
    """The names that stand for a value."""
    return {n for n, b in env.names.items() if isinstance(b, (T.Var, T.Const))}


@statement(ast.While)
def while_(ctx: FunctionContext, node: ast.While, env: Env) -> T.End | None:
    """`while test:`."""
    if node.orelse:
        return with_else(ctx, node, env)
    if has_effect(node.test):
        node = _tested_inside(node)
    if known_test(ctx, node.test, env) is True and not any(
        jumps(s, ast.Break, ast.Continue) for s in node.body
    ):
        return _counted_out(ctx, node, env)
    with ctx.region():
        first = condition(ctx, node.test, env.copy())
    if first == T.Const(False, BOOL):
        return None  # the body may be about values that do not exist

    def iteration(inner: Env) -> Body[T.Region]:
        with ctx.region() as stmts:
            cond = condition(ctx, node.test, inner)
        before = narrow(ctx, node.test, True, inner)
        head = T.Region(tuple(stmts), T.Yield((cond,)))
        return Body(head, *block(ctx, node.body, inner, before))

    names = names_assigned(node.body)
    errors = len(ctx.reporter.errors)
    loop = carry(ctx, node, names, env, iteration)
    forever = isinstance(node.test, ast.Constant) and node.test.value is True
    forever &= len(ctx.reporter.errors) == errors  # else a `break` may be missing because of them
    statement = T.While((), loop.head, (), (), loop.body)
    if forever and not loop.breaks and not _ends(statement):
        ctx.error(
            "AC033", node, "this loop has no `break` and no `return`", "`while` with a condition"
        )
    outs = loop_results(ctx, node, loop.carried, env, names)
    carried = tuple(loop.carried.values())
    ctx.stmts.append(T.While(outs, loop.head, carried, loop.inits, loop.body, ctx.span(node)))
    if not loop.breaks:
        ctx.stmts += narrow(ctx, node.test, False, env)
    return T.Unreachable() if forever and not loop.breaks else None


def _counted_out(ctx: FunctionContext, node: ast.While, env: Env) -> T.End | None:
    """`while f"layers.{i}.weight" in p:`: the iterations while it is known that there is another
    one, each written out, and a loop for the others if that is not known any more."""
    ctx.decided.add(node)
    for _ in range(MAX_UNROLLED):
        end = run(ctx, node.body, env)
        known = None if end is not None else known_test(ctx, node.test, env)
        if end is not None or known is False:
            return end
        if known is None:
            return while_(ctx, node, env)
    ctx.fail(
        "AC002",
        node,
        f"a loop over weights with more than {MAX_UNROLLED} iterations",
        "weights in a list",
    )


def _tested_inside(node: ast.While) -> ast.While:
    """`while test: body` as `while True: if not test: break; body`: names bound by `test`
    are visible after the loop, too."""
    negated = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    leave = ast.copy_location(ast.Break(), node.test)
    tested = ast.copy_location(ast.If(negated, [leave], []), node.test)
    forever = ast.copy_location(ast.Constant(True), node.test)
    return ast.copy_location(ast.While(forever, [tested, *node.body], []), node)


def _ends(loop: T.While) -> bool:
    exits = Exits()
    return exits.returns(loop) or exits.raises(loop)


@statement(ast.Break, ast.Continue)
def leave_iteration(
    ctx: FunctionContext, node: ast.Break | ast.Continue, env: Env
) -> T.Break | T.Continue:
    """`break`, `continue`."""
    loop = ctx.loops[-1]  # Python itself rejects these outside a loop
    values = leave(ctx, node, loop, env)
    if isinstance(node, ast.Break):
        loop.breaks = True
        loop.left.append(set(env.owned))
        return T.Break(values)
    loop.owned.append(set(env.owned))
    return T.Continue(values)
