"""Whether a value matches a pattern."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from ...ir import typed as T
from ...ir.types import BOOL, INT, DataRef, ListType, TupleType, UnionType
from ..context import FunctionContext
from ..emit import length, list_op
from ..pattern_tree import (
    Anything,
    Items,
    Member,
    OneOf,
    Parts,
    Pattern,
    Value,
    members,
    whole,
)
from ..raw_values import arms_of

TRUE, FALSE = T.Const(True, BOOL), T.Const(False, BOOL)


def matches(ctx: FunctionContext, pattern: Pattern, value: T.Atom) -> T.Atom:
    """Whether `value` matches: a constant if its type decides this."""
    match pattern:
        case Value(constant=constant, node=node):
            if isinstance(value, T.Const) and isinstance(constant, T.Const):
                return T.Const(value.value == constant.value, BOOL)
            return ctx.let(T.Scalar("==", (value, constant)), BOOL, node, "b")
        case Parts(items=items, node=node):
            return decide(
                ctx,
                node,
                True,
                [partial(_part_matches, ctx, value, i, p) for i, p in enumerate(items)],
            )
        case Items():
            return list_matches(ctx, pattern, value)
        case OneOf(alternatives=alternatives, node=node):
            return decide(ctx, node, False, [partial(matches, ctx, p, value) for p in alternatives])
        case Member():
            return _is_member(ctx, pattern, value)
    return TRUE


def _part_matches(ctx: FunctionContext, value: T.Atom, index: int, pattern: Pattern) -> T.Atom:
    if isinstance(pattern, Anything):
        return TRUE
    return matches(ctx, pattern, part(ctx, pattern.node, value, index))


def part(ctx: FunctionContext, node: ast.AST, value: T.Atom, index: int) -> T.Var:
    """One part of a tuple."""
    assert isinstance(value, T.Var) and isinstance(value.type, TupleType)
    return ctx.let(T.GetItem(value, index), value.type.items[index], node, "part")


def _is_member(ctx: FunctionContext, pattern: Member, value: T.Atom) -> T.Atom:
    assert isinstance(value, T.Var)
    node, data = pattern.node, pattern.data
    looked_at = [(n, p) for n, p in pattern.fields if not isinstance(p, Anything)]

    def inner(name: str, p: Pattern) -> T.Atom:
        return matches(ctx, p, field_of(ctx, node, value, data, name))

    if members(value.type) == (data,):
        return decide(ctx, node, True, [partial(inner, n, p) for n, p in looked_at])

    def arm(fields: dict[str, T.Var]) -> T.Atom:
        tests = [partial(matches, ctx, p, fields[n]) for n, p in looked_at]
        return decide(ctx, node, True, tests)

    return tell_members(ctx, node, value, {data: arm})


def list_matches(ctx: FunctionContext, pattern: Items, value: T.Atom) -> T.Atom:
    """Whether a list is as long as the pattern requires, and its items match."""
    node = pattern.node
    tests: list[Callable[[], T.Atom]] = []
    if pattern.rest is None or pattern.least > 0:
        tests.append(partial(_long_enough, ctx, pattern, value))
    for at, inner in places(pattern):
        if not isinstance(inner, Anything):
            tests.append(partial(_item_matches, ctx, value, at, inner))
    return decide(ctx, node, True, tests)


def _long_enough(ctx: FunctionContext, pattern: Items, value: T.Atom) -> T.Var:
    order = "==" if pattern.rest is None else ">="
    count = length(ctx, value, pattern.node)
    least = T.Const(pattern.least, INT)
    return ctx.let(T.Scalar(order, (count, least)), BOOL, pattern.node, "b")


def _item_matches(ctx: FunctionContext, value: T.Atom, at: T.Const, pattern: Pattern) -> T.Atom:
    return matches(ctx, pattern, item_of(ctx, pattern.node, value, at))


def item_of(ctx: FunctionContext, node: ast.AST, value: T.Atom, at: T.Const) -> T.Var:
    assert isinstance(value.type, ListType)
    return list_op(ctx, "get", (value, at), value.type.item, node)


def places(pattern: Items) -> list[tuple[T.Const, Pattern]]:
    """The patterns of items, each with its index; after the rest, it counts from the end."""
    behind = -len(pattern.back)
    front = [(T.Const(i, INT), p) for i, p in enumerate(pattern.front)]
    return front + [(T.Const(behind + i, INT), p) for i, p in enumerate(pattern.back)]


def tell_members(
    ctx: FunctionContext,
    node: ast.AST,
    value: T.Var,
    tests: dict[str, Callable[[dict[str, T.Var]], T.Atom]],
) -> T.Var:
    """A truth value that depends on the data type of `value`: the result of that type's function in
    `tests` for the fields, false for types without one."""
    out = ctx.computed("b", BOOL, node)
    arms = arms_of(ctx, value, lambda m, fields: tests[m](fields) if m in tests else FALSE)
    ctx.stmts.append(T.Match((out,), value, arms, ctx.span(node)))
    return out


def field_of(ctx: FunctionContext, node: ast.AST, value: T.Var, data: str, name: str) -> T.Var:
    """A field of a value that is known to be of the type `data`."""
    t = dict(ctx.builder.declarations.datas[data].fields)[name]
    return ctx.let(T.GetField(value, name), t, node, name)


def decide(
    ctx: FunctionContext, node: ast.AST, all_of: bool, tests: Sequence[Callable[[], T.Atom]]
) -> T.Atom:
    """Whether all of the tests hold, or any of them, evaluated in order until that is known."""
    if not tests:
        return T.Const(all_of, BOOL)
    first, *rest = tests
    known = first()
    if isinstance(known, T.Const):
        return decide(ctx, node, all_of, rest) if known.value is all_of else known
    with ctx.region() as stmts:
        others = decide(ctx, node, all_of, rest)
    if others == T.Const(all_of, BOOL):
        return known
    evaluated = T.Region(tuple(stmts), T.Yield((others,)))
    decided = T.Region((), T.Yield((T.Const(not all_of, BOOL),)))
    out = ctx.computed("b", BOOL, node)
    branches = (evaluated, decided) if all_of else (decided, evaluated)
    ctx.stmts.append(T.If((out,), known, *branches, ctx.span(node)))
    return out


def left_by(pattern: Pattern, value: T.Var) -> tuple[str, ...]:
    """The data types that remain for a value that does not match."""
    gone = whole(pattern)
    return tuple(m for m in members(value.type) if m not in gone)


def is_data(value: T.Atom) -> bool:
    """Whether the value is of a data type or a union of them."""
    return isinstance(value.type, (DataRef, UnionType))
