"""The two lists that represent a dict after the front end: its keys in insertion order, and their
values. A lookup searches all keys."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..ir import typed as T
from ..ir.subtypes import is_subtype, join
from ..ir.type_queries import has_no_value, may_be_key
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NOTHING,
    DictType,
    ListType,
    NothingType,
    OptionalType,
    TupleType,
    Type,
)
from .context import FunctionContext
from .emit import ONE, ZERO, length, list_op
from .optional import coerced, joined
from .optional_keys import canonical, fitted
from .searches import find
from .type_differences import difference, one_field

Lists = tuple[T.Atom, T.Atom]  # the keys, and their values
_EMPTY = "a key in the dict before: its types are those of the first"


def empty(ctx: FunctionContext, node: ast.AST) -> Lists:
    keys, values = (list_op(ctx, "make", (), ListType(NOTHING), node) for _ in range(2))
    return keys, values


def made_dict(
    ctx: FunctionContext,
    lists: Lists,
    node: ast.AST,
    name: str = "dict",
    like: Type | None = None,
) -> T.Var:
    """The dict of two lists; `like` is the type of the one that it replaces, which may be a set."""
    items = lists[0].type, lists[1].type
    t = replace(like, items=items) if isinstance(like, DictType) else DictType(items)
    return ctx.let(T.MakeTuple(lists), t, node, name)


def lists_of(ctx: FunctionContext, obj: T.Atom, node: ast.AST) -> Lists:
    assert isinstance(obj, T.Var) and isinstance(obj.type, DictType)
    keys, values = (
        ctx.let(T.GetItem(obj, i), t, node, name)
        for i, (t, name) in enumerate(zip(obj.type.items, ("keys", "values"), strict=True))
    )
    return keys, values


def item_of(items: T.Atom) -> Type:
    assert isinstance(items.type, ListType)
    return items.type.item


def has_no_keys(keys: T.Atom) -> bool:
    """Whether a dict is empty because its keys have a type without values."""
    return has_no_value(item_of(keys))


def check_keys(ctx: FunctionContext, node: ast.AST, t: Type) -> None:
    if not may_be_key(t):
        ctx.fail(
            "AC017",
            node,
            f"a key that is a {t}",
            "ints, truth values, strings and tuples of them",
        )


def find_key(ctx: FunctionContext, node: ast.AST, keys: T.Atom, key: T.Atom) -> tuple[T.Var, T.Var]:
    """The index of a key, -1 if it is not there; and whether it is there."""
    given, of = key, item_of(keys)
    key, tests = fitted(ctx, node, key, of)
    if not any(is_subtype(*pair) for pair in ((key.type, of), (of, key.type))):
        check_keys(ctx, node, given.type)
        ctx.fail(
            "AC017",
            node,
            f"a key that is a {given.type}, of a dict whose keys are {item_of(keys)}",
            "a key of their type",
        )
    at = find(ctx, node, keys, key)
    there = ctx.let(T.Scalar(">=", (at, ZERO)), BOOL, node, "there")
    for test in tests:
        there = ctx.let(T.Scalar("and", (there, test)), BOOL, node, "there")
    return at, there


def get_value(
    ctx: FunctionContext, node: ast.AST, source: ast.expr, lists: Lists, key: T.Atom
) -> T.Var:
    keys, values = lists
    at = known_key(ctx, node, source, keys, key)
    if at is None:
        return T.Var("nothing", NOTHING)
    return list_op(ctx, "get", (values, at), item_of(values), node)


def known_key(
    ctx: FunctionContext, node: ast.AST, source: ast.expr, keys: T.Atom, key: T.Atom
) -> T.Var | None:
    """The index of a key; the instance is at fault if it is not there. None, with an error, if the
    dict has no keys yet."""
    if has_no_keys(keys):
        ctx.no_item("AC027", node, "a value of an empty dict", _EMPTY)
        return None
    if key.type == NONE and not isinstance(item_of(keys), OptionalType):
        check_keys(ctx, source, key.type)
    at, there = find_key(ctx, source, keys, key)
    missing = T.Raise((f"KeyError: {ast.unparse(source)} is not in the dict",), ())
    regions = T.Region((), T.Yield(())), T.Region((), missing)
    ctx.stmts.append(T.If((), there, *regions, ctx.span(node)))
    return at


def like(t: Type, default: T.Atom) -> T.Atom:
    """`default` for values of type `t`: an int constant is a float among floats."""
    if t == FLOAT and isinstance(default, T.Const) and default.type == INT:
        return T.Const(float(default.value), FLOAT)
    return default


def value_or(
    ctx: FunctionContext, node: ast.AST, values: T.Atom, at: T.Atom, there: T.Atom, other: T.Atom
) -> T.Var:
    """The value at index `at` if it is there, else `other`."""
    other = like(item_of(values), other)
    t = joined(item_of(values), other.type)
    if t is None:
        ctx.fail(
            "AC008",
            node,
            f"a value is {item_of(values)}, the default {other.type}",
            f"a default of type {item_of(values)}",
        )
    with ctx.region() as stmts:
        item = coerced(ctx, list_op(ctx, "get", (values, at), item_of(values), node), t, node)
    with ctx.region() as rest:
        other = coerced(ctx, other, t, node)
    out = ctx.computed("value", t, node)
    regions = T.Region(tuple(stmts), T.Yield((item,))), T.Region(tuple(rest), T.Yield((other,)))
    ctx.stmts.append(T.If((out,), there, *regions, ctx.span(node)))
    return out


def stored(
    ctx: FunctionContext,
    node: ast.AST,
    lists: Lists,
    source: ast.AST,
    key: T.Atom,
    value: T.Atom,
    of_value: ast.AST | None = None,
) -> Lists:
    """The lists after `value` is stored under `key`, which may be new."""
    keys, values = lists
    if isinstance(item_of(keys), OptionalType):
        key = coerced(ctx, key, item_of(keys), source)
    check_keys(ctx, source, key.type)
    key = canonical(ctx, key, source)
    of_keys, of_values = (item_of(keys), key.type), (item_of(values), value.type)
    types = join(*of_keys), join(*of_values)
    if types[0] is None or types[1] is None:
        place = source if types[0] is None else of_value or node
        ctx.fail(
            "AC017",
            place,
            f"{key.type}: {value.type} in a dict[{item_of(keys)}, {item_of(values)}]"
            + (difference(*of_keys) or difference(*of_values)),
            f"`if {ast.unparse(source)} is not None:` around it"
            if isinstance(key.type, OptionalType) and types[0] is None
            else one_field(*of_keys)
            or one_field(*of_values)
            or "keys of one type, and values of one type",
        )
    kinds = ListType(types[0]), ListType(types[1])
    if has_no_keys(keys):
        return (
            list_op(ctx, "append", (keys, key), kinds[0], node),
            list_op(ctx, "append", (values, value), kinds[1], node),
        )
    at, there = find_key(ctx, source, keys, key)
    with ctx.region() as known:
        changed = list_op(ctx, "set", (values, at, value), kinds[1], node)
    with ctx.region() as new:
        longer = (
            list_op(ctx, "append", (keys, key), kinds[0], node),
            list_op(ctx, "append", (values, value), kinds[1], node),
        )
    outs = T.Var("keys", kinds[0]), T.Var("values", kinds[1])
    regions = (
        T.Region(tuple(known), T.Yield((keys, changed))),
        T.Region(tuple(new), T.Yield(longer)),
    )
    ctx.stmts.append(T.If(outs, there, *regions, ctx.span(node)))
    return outs


def of_pairs(ctx: FunctionContext, node: ast.AST, pairs: T.Atom) -> T.Var:
    """The dict of a list of pairs of a key and its value; for equal keys the last value counts."""
    if isinstance(pairs.type, NothingType):  # an error has been reported
        return made_dict(ctx, empty(ctx, node), node)
    t = item_of(pairs)
    if isinstance(t, NothingType):
        return made_dict(ctx, empty(ctx, node), node)
    if type(t) is not TupleType or len(t.items) != 2:
        ctx.fail("AC017", node, f"a dict of a {pairs.type}", "pairs of a key and its value")
    check_keys(ctx, node, t.items[0])
    kinds = ListType(t.items[0]), ListType(t.items[1])
    index = T.Var("i", INT)
    so_far = T.Var("keys", kinds[0]), T.Var("values", kinds[1])
    outs = T.Var("keys", kinds[0]), T.Var("values", kinds[1])
    inits = tuple(list_op(ctx, "make", (), k, node) for k in kinds)
    with ctx.region() as stmts:
        pair = list_op(ctx, "get", (pairs, index), t, node)
        key, value = (ctx.let(T.GetItem(pair, i), p, node) for i, p in enumerate(t.items))
        lists = stored(ctx, node, so_far, node, key, value)
    body = T.Region(tuple(stmts), T.Yield(lists))
    stop = length(ctx, pairs, node)
    ctx.stmts.append(T.For(outs, index, ZERO, stop, ONE, so_far, inits, body, ctx.span(node)))
    return made_dict(ctx, outs, node)
