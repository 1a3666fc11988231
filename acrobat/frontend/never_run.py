"""Loops over lists whose items have no type.

A list with items has a type for them wherever its type is final, so such a loop has no iterations,
and its body may do what no value allows: `key @ x` for a `key` of nothing. Where the list gets
items later, a loop around or a call with another type lowers the loop again.

A loop that needs the result of a recursion that is not known yet, `[encode(p, k) for k in kids]`,
is left out for the time being: what the function returns without an iteration is the first result
that is assumed (`assumed_results.py`). So is one that needs an item of a list that is still empty,
`for i in range(len(xs)): x = xs[i]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from ..ir import typed as T
from ..ir.type_queries import has_no_value
from ..ir.types import INT, ListType
from ..lang.diagnostics import Diagnostic
from .context import FunctionContext
from .iteration_space import IterationSpace
from .scope import Env, Recover

_MOST_INSIDE = 4


@contextmanager
def never_run(
    ctx: FunctionContext, source: ast.expr, space: IterationSpace, env: Env
) -> Iterator[list[Diagnostic]]:
    """For lowering what is done with every item of `source`, a `space`, inside `with`. If there are
    no items, errors in it are about values that do not exist: they go to the list that `with`
    gives, and `env` is as before. What has been lowered must then not be used. So it is if a result
    was not known, but these errors stand."""
    with ctx.region():
        before = len(ctx.reporter.errors)
        empty = space.unrolled is None and has_no_value(space.item(T.Var("i", INT)).type)
        empty = empty or _runs_over_indices(ctx, source, env)
        del ctx.reporter.errors[before:]
    found: list[Diagnostic] = []
    saved, asked, nothings = env.copy(), ctx.builder.times_asked, ctx.nothings
    given_up = False
    try:
        yield found
    except Recover:
        if len(ctx.reporter.errors) == before:
            raise
        if not empty and not (_has_asked(ctx, asked) or ctx.nothings > nothings):
            raise
        given_up = ctx.nothings > nothings
    if len(ctx.reporter.errors) == before:
        return
    if empty or _has_asked(ctx, asked) or given_up:
        found += ctx.reporter.errors[before:]
        env.restore(saved)
    if empty:
        del ctx.reporter.errors[before:]


def _has_asked(ctx: FunctionContext, before: int) -> bool:
    """Whether a result was not known, of a function that is not lowered for other types each time
    it calls itself: leaving out loops would take it to the end."""
    inside = ctx.builder.inside[id(ctx.source.tree)]
    return ctx.builder.times_asked > before and inside <= _MOST_INSIDE


def _runs_over_indices(ctx: FunctionContext, source: ast.expr, env: Env) -> bool:
    """Whether a loop over `range(len(xs))`, or a part of it, is one over a list without items."""
    match source:
        case ast.Call(func, [inner]) if ctx.static(func, env) in (reversed, enumerate):
            return _runs_over_indices(ctx, inner, env)
        case ast.Call(func, [*start, stop]) if ctx.static(func, env) is range and len(start) < 2:
            if isinstance(stop, ast.BinOp) and isinstance(stop.op, ast.Sub):
                start, stop = [*start, stop.right], stop.left
            if not all(isinstance(s, ast.Constant) and s.value in range(1 << 31) for s in start):
                return False
            match stop:
                case ast.Call(length, [ast.Name() as items], []) if ctx.static(length, env) is len:
                    t = ctx.peek(items, env.copy()).type
                    return isinstance(t, ListType) and has_no_value(t.item)
    return False
