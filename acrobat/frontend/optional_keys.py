"""Keys of dicts that may be None, or have parts that may be: `d[k]`, `chart[i, split]`.

A lookup compares the whole representation of a key, so that every key that is None has the same
one: `canonical`.
"""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.subtypes import is_subtype
from ..ir.types import BOOL, NONE, DictType, NamedTupleType, OptionalType, TupleType, Type
from .context import FunctionContext
from .optional import coerced, content, is_there, missing


def canonical(ctx: FunctionContext, key: T.Atom, node: ast.AST) -> T.Atom:
    """`key` with the same representation of each None in it."""
    if not isinstance(key, T.Var) or not _has_optional(key.type):
        return key
    if isinstance(key.type, OptionalType):
        t = key.type.item
        there = is_there(ctx, key, node)
        with ctx.region() as stmts:
            inside = canonical(ctx, content(ctx, key, node), node)
        with ctx.region() as rest:
            nothing = missing(ctx, t, node)
        value = ctx.computed("key", t, node)
        regions = (
            T.Region(tuple(stmts), T.Yield((inside,))),
            T.Region(tuple(rest), T.Yield((nothing,))),
        )
        ctx.stmts.append(T.If((value,), there, *regions, ctx.span(node)))
        return ctx.let(T.MakeTuple((there, value)), key.type, node, "key")
    assert isinstance(key.type, TupleType)
    parts = tuple(canonical(ctx, p, node) for p in _parts(ctx, key, node))
    return ctx.let(T.MakeTuple(parts), key.type, node, "key")


def fitted(
    ctx: FunctionContext, node: ast.AST, key: T.Atom, wanted: Type
) -> tuple[T.Atom, list[T.Atom]]:
    """`key` as one of the type `wanted`, for a dict that has keys of that type; and what must hold
    for it to be one of them: that what is None in no key of the dict is not None."""
    if not isinstance(wanted, OptionalType):
        if key.type == NONE:
            return missing(ctx, wanted, node), [T.Const(False, BOOL)]
        if isinstance(key.type, OptionalType) and isinstance(key, T.Var):
            inside, tests = fitted(ctx, node, content(ctx, key, node), wanted)
            return inside, [is_there(ctx, key, node), *tests]
    t = key.type
    if is_subtype(t, wanted) or not _is_tuple(t) or not _is_tuple(wanted):
        return canonical(ctx, coerced(ctx, key, wanted, node), node), []
    assert isinstance(t, TupleType) and isinstance(wanted, TupleType) and isinstance(key, T.Var)
    if len(t.items) != len(wanted.items):
        return key, []
    pairs = zip(_parts(ctx, key, node), wanted.items, strict=True)
    parts = [fitted(ctx, node, part, w) for part, w in pairs]
    if not all(is_subtype(p.type, w) for (p, _), w in zip(parts, wanted.items, strict=True)):
        return key, []
    made = ctx.let(T.MakeTuple(tuple(p for p, _ in parts)), wanted, node, "key")
    return made, [test for _, tests in parts for test in tests]


def _is_tuple(t: Type) -> bool:
    return type(t) in (TupleType, NamedTupleType)


def _parts(ctx: FunctionContext, key: T.Var, node: ast.AST) -> list[T.Var]:
    assert isinstance(key.type, TupleType)
    return [ctx.let(T.GetItem(key, i), t, node, "part") for i, t in enumerate(key.type.items)]


def _has_optional(t: Type) -> bool:
    if isinstance(t, OptionalType):
        return True
    return (
        isinstance(t, TupleType)
        and not isinstance(t, DictType)
        and any(map(_has_optional, t.items))
    )
