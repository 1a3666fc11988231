"""Bind the names of a pattern to a value that matches it, and to its parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.types import INT, NOTHING, ListType
from ..blocks import branch, merge
from ..context import FunctionContext
from ..emit import int_op, length, list_op
from ..pattern_tree import (
    Anything,
    Items,
    Member,
    OneOf,
    Parts,
    Pattern,
    binds,
    members,
    of_members,
)
from ..scope import Env
from .pattern_tests import field_of, item_of, matches, part, places


def _bind_items(ctx: FunctionContext, pattern: Items, value: T.Atom, env: Env) -> None:
    for at, inner in places(pattern):
        if binds(inner):
            bind(ctx, inner, item_of(ctx, inner.node, value, at), env)
    if pattern.rest:
        node, start = pattern.node, T.Const(len(pattern.front), INT)
        stop = length(ctx, value, node)
        if pattern.back:
            stop = int_op(ctx, "-", (stop, T.Const(len(pattern.back), INT)), node)
        env.names[pattern.rest] = list_op(ctx, "slice", (value, start, stop), value.type, node)
        env.escape(pattern.rest)
        env.owned.add(pattern.rest)  # a new list


def narrowed(ctx: FunctionContext, node: ast.AST, value: T.Var, to: tuple[str, ...]) -> T.Var:
    """The same value, known to be of one of the data types `to`."""
    if members(value.type) == to:
        return value
    out = T.Var(value.name, of_members(to))
    ctx.origins[out.number] = ctx.origins.get(value.number, "")
    ctx.stmts.append(T.Let((out,), T.Narrow(value), ctx.span(node)))
    return out


def bind(
    ctx: FunctionContext,
    pattern: Pattern,
    value: T.Atom,
    env: Env,
    source: ast.expr | None = None,
) -> None:
    """Bind the pattern's names in `env` to a value that matches it. `source` is the expression of
    the value: if it is a name, or a tuple of names, these are rebound to the narrowed value."""
    match pattern:
        case Member(data=data, fields=fields, node=node):
            assert isinstance(value, T.Var)
            fields_known = env.narrowed.get(value, {})
            out = narrowed(ctx, node, value, (data,))
            env.narrowed[out] = {**fields_known, **env.narrowed.get(out, {})}
            for name, inner in fields:
                if isinstance(inner, Anything) and not inner.names:
                    continue
                found = env.narrowed[out].get(name) or field_of(ctx, node, out, data, name)
                env.narrowed[out] = {**env.narrowed[out], name: found}
                bind(ctx, inner, found, env)
            _rename(value, out, source, env)
            value = out
        case Parts(items=items, rest=rest, node=node):
            sources = source.elts if isinstance(source, ast.Tuple) else [None] * len(items)
            for i, (inner, s) in enumerate(zip(items, sources, strict=True)):
                if not isinstance(inner, Anything) or inner.names:
                    known = isinstance(value, T.Var) and env.narrowed.get(value, {}).get(str(i))
                    bind(ctx, inner, known or part(ctx, node, value, i), env, s)
            if rest is not None:
                name, start, stop = rest
                left = tuple(part(ctx, node, value, i) for i in range(start, stop))
                kind = ListType(left[0].type if left else NOTHING)
                env.names[name] = list_op(ctx, "make", left, kind, node)
                env.escape(name)
                env.owned.add(name)  # a new list
        case Items():
            _bind_items(ctx, pattern, value, env)
        case OneOf():
            value = _bind_one_of(ctx, pattern, value, env, source)
    for name in pattern.names:
        env.names[name] = value
        env.escape(name)


def _bind_one_of(
    ctx: FunctionContext, pattern: OneOf, value: T.Atom, env: Env, source: ast.expr | None
) -> T.Atom:
    taken = taken_by(pattern)
    if isinstance(value, T.Var) and taken is not None:
        kept = tuple(m for m in members(value.type) if m in taken)
        out = narrowed(ctx, pattern.node, value, kept)
        _rename(value, out, source, env)
        value = out
    if any(map(binds, pattern.alternatives)):
        _bind_alternatives(ctx, pattern.alternatives, pattern.node, value, env)
    return value


def _bind_alternatives(
    ctx: FunctionContext,
    alternatives: Sequence[Pattern],
    node: ast.AST,
    value: T.Atom,
    env: Env,
) -> None:
    """Bind the names of the first alternative that matches; at least one does."""
    first, *rest = alternatives
    if not rest:
        bind(ctx, first, value, env)
        return
    cond = matches(ctx, first, value)

    def this(inner: Env) -> None:
        bind(ctx, first, value, inner)

    def others(inner: Env) -> None:
        _bind_alternatives(ctx, rest, node, value, inner)

    branches = [branch(ctx, env.copy(), lower) for lower in (this, others)]
    outs, regions, _ = merge(ctx, node, branches, env)
    ctx.stmts.append(T.If(outs, cond, regions[0], regions[1], ctx.span(node)))


def taken_by(pattern: Pattern) -> tuple[str, ...] | None:
    """The data types whose values may match; None if the pattern is not of data."""
    match pattern:
        case Member(data=data):
            return (data,)
        case OneOf(alternatives=alternatives):
            found = [taken_by(p) for p in alternatives]
            if None not in found:
                return tuple(m for f in found for m in f or ())
    return None


def _rename(value: T.Var, out: T.Var, source: ast.expr | None, env: Env) -> None:
    """Rebind the name of `value` to the narrower `out`."""
    if isinstance(source, ast.Name) and env.names.get(source.id) == value:
        env.names[source.id] = out
