"""Loops over lists whose items have no type.

A list with items has a type for them wherever its type is final, so such a loop has no iterations,
and its body may do what no value allows: `key @ x` for a `key` of nothing. Where the list gets
items later, a loop around or a call with another type lowers the loop again.

A loop that needs the result of a recursion that is not known yet, `[encode(p, k) for k in kids]`,
is left out for the time being: what the function returns without an iteration is the first result
that is assumed (`assumed_results.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..ir import typed as T
from ..ir.type_queries import has_no_value
from ..ir.types import INT
from ..lang.diagnostics import Diagnostic
from .context import FunctionContext
from .iteration_space import IterationSpace
from .scope import Env, Recover


@contextmanager
def never_run(ctx: FunctionContext, space: IterationSpace, env: Env) -> Iterator[list[Diagnostic]]:
    """For lowering what is done with every item of `space`, inside `with`. If there are no items,
    errors in it are about values that do not exist: they go to the list that `with` gives, and
    `env` is as before. What has been lowered must then not be used. So it is if a result was not
    known, but these errors stand."""
    with ctx.region():
        before = len(ctx.reporter.errors)
        empty = space.unrolled is None and has_no_value(space.item(T.Var("i", INT)).type)
        del ctx.reporter.errors[before:]
    found: list[Diagnostic] = []
    saved, asked = env.copy(), ctx.builder.times_asked
    try:
        yield found
    except Recover:
        if len(ctx.reporter.errors) == before:
            raise
        if not empty and ctx.builder.times_asked == asked:
            raise
    if len(ctx.reporter.errors) == before:
        return
    if empty or ctx.builder.times_asked > asked:
        found += ctx.reporter.errors[before:]
        env.restore(saved)
    if empty:
        del ctx.reporter.errors[before:]
