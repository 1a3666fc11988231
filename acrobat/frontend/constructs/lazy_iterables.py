"""Loops over `map(f, xs)`, `(f(x) for x in xs)` and the like, which call `f` only when an iteration
begins.

Compiled, all calls come before the loop. That is the same unless the loop changes what `f` reads.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterator

from ..captures import captured
from ..context import FunctionContext
from ..function_values import Closure, Partial
from ..scope import Env
from ..syntax import names_assigned, names_in, names_mutated, names_read_late
from ..written import placed

_LAZY = (map, filter, enumerate, zip)


def check_lazy_calls(ctx: FunctionContext, node: ast.For, env: Env) -> None:
    """An error if a loop changes what a function reads that its iterable calls."""
    changed: set[str] | None = None
    for call, function in _functions(ctx, node.iter):
        if changed is None:
            changed = names_assigned(node.body) | names_mutated(node.body) | names_in(node.target)
        both = sorted(_reads(function, env) & changed)
        if both:
            what = "this generator computes one item"
            if isinstance(call, ast.Call):
                what = f"{ast.unparse(call.func)} calls its function for one item"
            ctx.fail(
                "AC030",
                call,
                f"{what} at a time, and {both[0]}, which it reads, changes in the loop",
                f"`{ast.unparse(_all_of(call))}`: all items before the loop",
            )


def _all_of(node: ast.expr) -> ast.expr:
    return (
        ast.Call(ast.Name("list"), [node], []) if isinstance(node, ast.Call) else with_lists(node)
    )


def with_lists(node: ast.expr) -> ast.expr:
    """The iterable `node` with lists in place of generators."""
    match node:
        case ast.GeneratorExp(item, generators):
            return placed(ast.ListComp(item, generators), node)
        case ast.Call(func, args, keywords) if any(isinstance(a, ast.GeneratorExp) for a in args):
            return placed(ast.Call(func, [with_lists(a) for a in args], keywords), node)
    return node


def _functions(ctx: FunctionContext, node: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The calls that an iteration makes of functions, and these; generators."""
    if isinstance(node, ast.GeneratorExp):
        yield node, node
    if not isinstance(node, ast.Call):
        return
    found = ctx.static(node.func, Env())
    if found not in _LAZY and getattr(found, "__module__", "") != itertools.__name__:
        return
    for value in (*node.args, *(k.value for k in node.keywords)):
        yield from _functions(ctx, value)
        lazy = isinstance(value, (ast.Lambda, ast.Name)) or _is_partial(ctx, value)
        if found not in (enumerate, zip) and lazy:
            yield node, value


def _is_partial(ctx: FunctionContext, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ctx.static(node.func, Env()) is functools.partial


def _reads(function: ast.expr, env: Env) -> set[str]:
    """The names that a function reads where it is called; none for an argument that is none."""
    match function:
        case ast.Lambda(args, body):
            own = {p.arg for p in ast.walk(args) if isinstance(p, ast.arg)}
            return _with_captures(names_in(body) - own, env)
        case ast.GeneratorExp(_, [first, *_]):
            # A list that has a name is read while it is iterated over.
            over = {first.iter.id} if isinstance(first.iter, ast.Name) else set[str]()
            return _with_captures(names_read_late(function) | over, env)
        case ast.Name(name) if isinstance(env.names.get(name), (Closure, Partial)):
            return _with_captures({name}, env)
        case ast.Call(_, args):  # `functools.partial(f, a)`
            return _with_captures({n for a in args for n in names_in(a)}, env)
    return set()


def _with_captures(names: set[str], env: Env) -> set[str]:
    """`names` and what those of them that are local functions read."""
    found: set[str] = set()
    rest = set(names)
    while rest:
        name = rest.pop()
        found.add(name)
        value = env.names.get(name)
        while isinstance(value, Partial):
            value = value.of
        if isinstance(value, Closure):
            rest |= captured(value.tree, lambda call: ()).reads - found
    return found
