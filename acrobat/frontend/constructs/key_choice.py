"""Choice from a table of known keys by a key of the instance: `t[a] if key == a else ...`."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from ...ir import typed as T
from ...ir.types import MemberType
from ..context import FunctionContext
from ..scope import Env
from .arguments import temporary
from .members import of_each_member

Key = int | str | enum.Enum


def chosen_by_key(
    ctx: FunctionContext,
    node: ast.expr,
    text: str,
    source: ast.expr,
    keys: Sequence[Key],
    one: Callable[[Key], ast.expr],
    env: Env,
    fault: str = "",
) -> T.Atom:
    """The value of the expression that `one` makes for the key that `source` evaluates to. The
    instance is at fault if the key is not one of `keys`; errors call their table `text`, or begin
    with `fault`, and end with the key."""
    key = one_of_keys(ctx, node, text, source, keys, env, fault)
    return _chosen(ctx, node, key, keys, one, env)


def parts_by_key(
    ctx: FunctionContext,
    node: ast.Subscript,
    keys: Sequence[Key],
    count: int,
    env: Env,
) -> tuple[T.Atom, ...]:
    """The parts of `node`, an item of a dict of tuples with `count` parts each, `p.w[k]`."""
    key = one_of_keys(ctx, node, ast.unparse(node.value), node.slice, keys, env)

    def part(number: int, k: Key) -> ast.expr:
        item = ast.Subscript(node.value, written(k), ast.Load())
        return ast.Subscript(item, ast.Constant(number), ast.Load())

    return tuple(_chosen(ctx, node, key, keys, partial(part, n), env) for n in range(count))


def _chosen(
    ctx: FunctionContext,
    node: ast.expr,
    key: ast.Name,
    keys: Sequence[Key],
    one: Callable[[Key], ast.expr],
    env: Env,
) -> T.Atom:
    chosen = placed(one(keys[-1]), node)
    for k in reversed(keys[:-1]):
        chosen = placed(ast.IfExp(_is_key(key, k, node), one(k), chosen), node)
    return ctx.expression(chosen, env)


def one_of_keys(
    ctx: FunctionContext,
    node: ast.expr,
    text: str,
    source: ast.expr,
    keys: Sequence[Key],
    env: Env,
    fault: str = "",
) -> ast.Name:
    """A name for the key that `source` evaluates to; the instance is at fault if it is not one of
    `keys`."""
    key = temporary(env, "a key", ctx.expression(source, env), node)
    each = [_is_key(key, k, node) for k in keys]
    some = placed(ast.BoolOp(ast.Or(), each), node) if len(keys) > 1 else each[0]
    there = ctx.expression(some, env)
    with ctx.region() as stmts:
        shown = ctx.expression(key, env)
        if isinstance(shown.type, MemberType):
            shown = of_each_member(ctx, node, shown, [repr(m) for m in shown.type.members], text)
    missing = T.Raise((fault or f"KeyError: {text} has no key ", ""), (shown,))
    regions = T.Region((), T.Yield(())), T.Region(tuple(stmts), missing)
    ctx.stmts.append(T.If((), there, *regions, ctx.span(node)))
    return key


def _is_key(key: ast.expr, k: Key, node: ast.expr) -> ast.expr:
    return placed(ast.Compare(key, [ast.Eq()], [written(k)]), node)


def written(key: Key) -> ast.Constant:
    """A key as a constant; an enumeration member that is an int or a string becomes that value."""
    if isinstance(key, enum.Enum) and not isinstance(key, (int, str)):
        return ast.Constant(cast(Any, key))
    return ast.Constant(str.__str__(key) if isinstance(key, str) else int(key))


def placed(node: ast.expr, at: ast.expr) -> ast.expr:
    """Give `node` and its parts that have no location yet the location of `at`."""
    for part in ast.walk(node):
        if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return node
