"""`a == b` of numbers, strings, lists, tuples, data, and what may be None."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.type_queries import member_names
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    NO_TUPLES,
    NONE,
    NOTHING,
    TEXT,
    DataRef,
    IntArrayType,
    KeyedType,
    ListType,
    MemberType,
    OptionalType,
    QueueType,
    RecordType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from ..context import FunctionContext
from ..dict_lists import lists_of
from ..emit import int_op, length, list_op
from ..optional import content, is_there
from ..plain_classes import compares_fields
from ..searches import ending_where
from .equal_trees import equal_trees
from .int_arrays import is_int_array, of_arrays
from .numbers import counted
from .pattern_tests import tell_members
from .set_comparisons import compared_sets

_NUMBERS = (INT, FLOAT, BOOL)


def equal(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var | None:
    """`a == b`; None if values of these types cannot be compared."""
    types = (a.type, b.type)
    if NONE in types and any(isinstance(t, OptionalType) and _is_array(t.item) for t in types):
        return None
    if is_int_array(a) or is_int_array(b):
        return None  # item by item in numpy
    if types == (TEXT, TEXT) or (isinstance(a.type, MemberType) and a.type == b.type):
        return ctx.let(T.Scalar("==", (a, b)), BOOL, node, "b")
    if all(t in _NUMBERS for t in types):
        if types != (BOOL, BOOL):
            a, b = counted(ctx, a, node), counted(ctx, b, node)
        return ctx.let(T.Scalar("==", (a, b)), BOOL, node, "b")
    for value, other in ((a, b), (b, a)):
        if isinstance(value.type, OptionalType) and not isinstance(other.type, OptionalType):
            return _equal_if_there(ctx, node, value, other)
    if isinstance(a.type, OptionalType) and isinstance(b.type, OptionalType):
        assert isinstance(a, T.Var) and isinstance(b, T.Var)
        return _equal_or_none(ctx, node, a, b)
    match a.type, b.type:
        case ListType(), ListType():
            return _equal_lists(ctx, node, a, b)
        case QueueType(), QueueType():
            lists = (lists_of(ctx, x, node)[1] for x in (a, b))
            return _equal_lists(ctx, node, *lists)
        case SetType(), SetType():
            return compared_sets(ctx, node, "==", a, b)
        case DataRef(name), DataRef(its) if name == its:
            return _equal_data(ctx, node, name, (a, b)) or equal_trees(ctx, node, a, b)
        case TupleType(), TupleType() if isinstance(a, T.Var) and isinstance(b, T.Var):
            if any(isinstance(t, NO_TUPLES) for t in types) and not _compared(a.type, b.type):
                return None
            return _equal_tuples(ctx, node, a, b)
    for value, other in ((a, b), (b, a)):
        if isinstance(value, T.Var) and isinstance(value.type, UnionType):
            same = _equal_if_member(ctx, node, value, other)
            return same or equal_trees(ctx, node, a, b)
    return None


def _is_array(t: Type) -> bool:
    return isinstance(t, IntArrayType) or (isinstance(t, TensorType) and bool(t.dims))


def _compared(a: Type, b: Type) -> bool:
    """Whether values of the classes `a` and `b`, or dicts with known keys, are compared part by
    part."""
    if isinstance(a, KeyedType) and isinstance(b, KeyedType):
        return a.keys == b.keys
    both = isinstance(a, RecordType) and isinstance(b, RecordType) and a.name == b.name
    return both and isinstance(a, RecordType) and a.compared


def same_or_error(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var:
    same = equal(ctx, node, a, b)
    if same is None:
        ctx.fail(
            "AC027",
            node,
            f"a comparison of {a.type} and {b.type}",
            of_arrays(a, b) or "numbers, strings, and lists and tuples of them",
        )
    return same


def _equal_if_member(
    ctx: FunctionContext, node: ast.AST, value: T.Var, other: T.Atom
) -> T.Var | None:
    """`value == other`, where `value` may be a number or a string, or of another type."""
    datas = ctx.builder.declarations.datas
    kinds = (TEXT,) if other.type == TEXT else _NUMBERS if other.type in _NUMBERS else ()
    tests: dict[str, Callable[[dict[str, T.Var]], T.Atom]] = {}
    for name in value.type.members if isinstance(value.type, UnionType) else ():
        if datas[name].raw and datas[name].fields[0][1] in kinds:
            tests[name] = lambda fields: same_or_error(ctx, node, fields[T.RAW_VALUE], other)
    return tell_members(ctx, node, value, tests) if tests else None


def _equal_if_there(
    ctx: FunctionContext, node: ast.AST, value: T.Atom, other: T.Atom
) -> T.Var | None:
    """`value == other`, where `value` may be None."""
    assert isinstance(value, T.Var)
    there = is_there(ctx, value, node)
    if other.type == NONE:
        return ctx.let(T.Scalar("not", (there,)), BOOL, node, "b")
    same = equal(ctx, node, content(ctx, value, node), other)
    return None if same is None else ctx.let(T.Scalar("and", (there, same)), BOOL, node, "b")


def _equal_or_none(ctx: FunctionContext, node: ast.AST, a: T.Var, b: T.Var) -> T.Var | None:
    """`a == b`, where both may be None."""
    same = equal(ctx, node, content(ctx, a, node), content(ctx, b, node))
    if same is None:
        return None
    one, other = is_there(ctx, a, node), is_there(ctx, b, node)
    some = ctx.let(T.Scalar("or", (one, other)), BOOL, node, "b")
    both = ctx.let(T.Scalar("and", (one, other)), BOOL, node, "b")
    alike = ctx.let(T.Scalar("and", (both, same)), BOOL, node, "b")
    neither = ctx.let(T.Scalar("not", (some,)), BOOL, node, "b")
    return ctx.let(T.Scalar("or", (neither, alike)), BOOL, node, "b")


def _equal_data(
    ctx: FunctionContext, node: ast.AST, name: str, sides: tuple[T.Atom, T.Atom]
) -> T.Var | None:
    """`a == b` of objects of a class that compares their fields, none of which may hold another
    object of the class."""
    data = ctx.builder.declarations.datas[name]
    if not compares_fields(data.cls) or _may_hold_itself(ctx, data.name):
        return None
    result: T.Atom = T.Const(True, BOOL)
    for field, t in data.fields:
        parts = [ctx.let(T.GetField(x, field), t, node) for x in sides if isinstance(x, T.Var)]
        same = equal(ctx, node, *parts)
        if same is None:
            return None
        result = ctx.let(T.Scalar("and", (result, same)), BOOL, node, "b")
    return result if isinstance(result, T.Var) else None


def _may_hold_itself(ctx: FunctionContext, name: str) -> bool:
    """Whether an object of a data type may hold another one of that type."""
    datas = ctx.builder.declarations.datas
    work, seen = [t for _, t in datas[name].fields], set[str]()
    while work:
        match work.pop():
            case ListType(item):
                work.append(item)
            case TupleType(items):
                work += items
            case DataRef() | UnionType() as t:
                new = set(member_names(t)) - seen
                seen |= new
                work += [f for n in new for _, f in datas[n].fields]
    return name in seen


def _equal_tuples(ctx: FunctionContext, node: ast.AST, a: T.Var, b: T.Var) -> T.Var | None:
    assert isinstance(a.type, TupleType) and isinstance(b.type, TupleType)
    if len(a.type.items) != len(b.type.items):
        return None
    result: T.Atom = T.Const(True, BOOL)
    for i, (t, u) in enumerate(zip(a.type.items, b.type.items, strict=True)):
        parts = ctx.let(T.GetItem(a, i), t, node), ctx.let(T.GetItem(b, i), u, node)
        same = equal(ctx, node, *parts)
        if same is None:
            return None
        result = ctx.let(T.Scalar("and", (result, same)), BOOL, node, "b")
    return result if isinstance(result, T.Var) else None


def _equal_lists(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var | None:
    """Whether two lists have the same length and equal items."""
    assert isinstance(a.type, ListType) and isinstance(b.type, ListType)
    lengths = length(ctx, a, node), length(ctx, b, node)
    as_many = ctx.let(T.Scalar("==", lengths), BOOL, node, "b")
    if NOTHING in (a.type.item, b.type.item):
        return as_many
    if a.type.item != b.type.item and not {a.type.item, b.type.item} <= set(_NUMBERS):
        return None
    stop = int_op(ctx, "*", (lengths[0], counted(ctx, as_many, node)), node)
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        items = tuple(
            list_op(ctx, "get", (x, index), x.type.item, node)
            for x in (a, b)
            if isinstance(x.type, ListType)
        )
        same = equal(ctx, node, *items)
        if same is None:
            return None
    ended = ending_where(ctx, node, index, stop, stmts, same, as_many, found=False)
    return ended[0]
