"""The parts of a value that may be a tuple of one length or of another, `op, *args = node`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce

from ..ir import typed as T
from ..ir.types import NOTHING, ListType, TupleType, Type, UnionType
from .context import FunctionContext
from .emit import list_op
from .optional import coerced, joined
from .raw_values import arms_of, raw_types


def parts_of_union(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, elements: Sequence[ast.expr]
) -> list[T.Var] | None:
    """What each of the targets `elements` gets of a value of a union of tuples; the instance is at
    fault if it is a tuple with too few or too many parts. None if it is of any other type."""
    kinds = raw_types(ctx.builder.declarations.datas, value.type)
    if not isinstance(value, T.Var) or not isinstance(value.type, UnionType):
        return None
    if not all(type(k) is TupleType for k in kinds):
        return None
    starred = [i for i, e in enumerate(elements) if isinstance(e, ast.Starred)]
    least = len(elements) - len(starred)
    given: list[tuple[T.Atom, ...] | None] = []

    def lower(name: str, fields: dict[str, T.Var]) -> T.Atom:
        whole = fields[T.RAW_VALUE]
        assert isinstance(whole.type, TupleType)
        parts = [
            ctx.let(T.GetItem(whole, i), t, node, "part") for i, t in enumerate(whole.type.items)
        ]
        fits = len(parts) >= least if starred else len(parts) == least
        given.append(_taken(ctx, node, parts, elements) if fits else None)
        return whole

    arms = arms_of(ctx, value, lower)
    taken = [parts for parts in given if parts is not None]
    if not taken:
        return None
    outs: list[T.Var] = []
    for parts in zip(*taken, strict=True):
        t: Type | None = reduce(
            lambda a, b: None if a is None else joined(a, b, ctx.builder.declarations.datas),
            [p.type for p in parts],
        )
        if t is None:
            ctx.fail(
                "AC008",
                node,
                f"a part of {value.type} is {parts[0].type} or {parts[-1].type}",
                "`len(x)`, or a `match`, to know which it is",
            )
        outs.append(ctx.computed("part", t, node))
    finished = []
    for arm, found in zip(arms, given, strict=True):
        with ctx.region(arm.region.stmts) as stmts:
            end: T.End = T.Raise((f"ValueError: {len(elements)} targets for another number",), ())
            if found is not None:
                pairs = zip(found, outs, strict=True)
                end = T.Yield(tuple(coerced(ctx, p, out.type, node) for p, out in pairs))
        finished.append(T.Arm(arm.data, arm.binds, T.Region(tuple(stmts), end)))
    ctx.stmts.append(T.Match(tuple(outs), value, tuple(finished), ctx.span(node)))
    return outs


def is_unused(target: ast.expr) -> bool:
    """Whether a target is `*_`."""
    name = target.value if isinstance(target, ast.Starred) else target
    return isinstance(name, ast.Name) and name.id.split()[0] == "_"


def _taken(
    ctx: FunctionContext, node: ast.expr, parts: list[T.Var], elements: Sequence[ast.expr]
) -> tuple[T.Atom, ...]:
    """What the targets get of these parts, the one with `*` a list."""
    star = next((i for i, e in enumerate(elements) if isinstance(e, ast.Starred)), None)
    if star is None:
        return tuple(parts)
    stop = len(parts) - (len(elements) - 1 - star)
    rest = [] if is_unused(elements[star]) else parts[star:stop]
    t: Type = NOTHING
    for part in rest:
        both = joined(t, part.type, ctx.builder.declarations.datas)
        if both is None:
            ctx.fail(
                "AC008",
                node,
                f"parts of types {t} and {part.type} in one list",
                "a name for each of them",
            )
        t = both
    items = tuple(coerced(ctx, p, t, node) for p in rest)
    made = list_op(ctx, "make", items, ListType(t), node)
    return (*parts[:star], made, *parts[stop:])
