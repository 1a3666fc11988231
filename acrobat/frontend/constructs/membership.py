"""`x in xs`, and `==` of lists and tuples."""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection
from typing import Any

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    NO_TUPLES,
    NONE,
    NOTHING,
    TEXT,
    DictType,
    KeyedType,
    ListType,
    MemberType,
    NothingType,
    OptionalType,
    RecordType,
    TupleType,
    Type,
)
from ..conditions import truth
from ..context import MISSING, FunctionContext
from ..emit import ONE, ZERO, host_op, int_op, length, list_op
from ..folds import fold_list
from ..optional import content, is_there
from ..registry import ITERABLES, Arity, method
from ..scope import Env
from ..targets import EMPTY
from .dicts import has_key
from .function_tables import function_table
from .keyed_weights import has_weight
from .literals import is_member
from .lookups import has, large
from .numbers import counted
from .optional_equality import equal_or_missing
from .sequences import listed
from .special_methods import call_special, has_special

_NUMBERS = (INT, FLOAT, BOOL)
# Up to this many written-out values are compared one by one; more become a list.
_MOST_TESTS = 16


def contains(
    ctx: FunctionContext, node: ast.Compare, value: T.Atom, right: ast.expr, env: Env
) -> T.Atom:
    """`value in right`, where `right` is a list or other iterable, a string, a dict, values that
    are written out, or a set that the module defines."""
    whole = large(ctx, right, env)
    there = None if whole is None else has(ctx, node, right, whole, value)
    if there is not None:
        return there
    known = ctx.static(right, env)
    functions = function_table(ctx, right, env)
    if isinstance(functions, dict):
        known = frozenset(functions)
    elif value.type == TEXT and _is_string(ctx, right, env):
        return host_op(ctx, "str.in", (value, ctx.expression(right, env)), node)
    if isinstance(known, (set, frozenset)):
        right = _written_out(ctx, node, right, known)
    if isinstance(right, (ast.Tuple, ast.Set, ast.List)) and 0 < len(right.elts) <= _MOST_TESTS:
        found: T.Var | None = None
        for element in right.elts:
            if isinstance(element, ast.Starred):
                break
            same = _same(ctx, node, value, compared_constant(ctx, element, env))
            either = None if found is None else T.Scalar("or", (found, same))
            found = same if either is None else ctx.let(either, BOOL, node, "b")
        else:
            assert found is not None
            return found
        right = ast.copy_location(ast.List(right.elts, ast.Load()), right)
    if isinstance(right, (ast.Name, ast.Attribute, ast.Subscript)):
        whole = ctx.peek(right, env)
        if isinstance(whole.type, DictType):
            return has_key(ctx, node, whole, value)
        if isinstance(whole.type, KeyedType):
            return has_weight(ctx, node, whole, value)
        if has_special(ctx, whole.type, "__contains__"):
            return truth(ctx, node, call_special(ctx, right, whole, "__contains__", value))
    items = listed(ctx, right, env)
    if isinstance(items.type, NothingType):  # the list is still empty, its item type unknown
        ctx.nothings += 1
        return ctx.let(T.Scalar("not", (T.Const(True, BOOL),)), BOOL, node, "b")
    return _first(ctx, node, items, value)[0]


def compared_constant(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """The value of `node`, which is only compared: if it is a member of an enumeration, no other
    value is one because of that."""
    enumerations = ctx.builder.declarations.enumerations
    before = set(enumerations)
    value = ctx.expression(node, env)
    if isinstance(ctx.static(node, env), enum.Enum):
        enumerations.intersection_update(before)
    return value


def _is_string(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` is a string, of which `in` finds parts, and no list of strings."""
    if isinstance(node, (ast.Tuple, ast.Set, ast.List, ast.ListComp, ast.GeneratorExp)):
        return False
    if isinstance(node, (ast.SetComp, ast.DictComp, ast.Dict)):
        return False
    if isinstance(node, ast.Call) and id(ctx.static(node.func, env)) in ITERABLES:
        return False
    known = ctx.static(node, env)
    if known is not MISSING:
        return isinstance(known, str)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return ctx.peek(node, env).type == TEXT
    with ctx.region():
        return ctx.expression(node, env.copy()).type == TEXT


def _written_out(
    ctx: FunctionContext, node: ast.Compare, right: ast.expr, known: Collection[Any]
) -> ast.expr:
    """A set that the module defines, as a list of its items."""
    plain = [x if is_member(x) or not isinstance(x, enum.Enum) else x.value for x in known]
    if not all(isinstance(x, (int, str)) or is_member(x) for x in plain):
        ctx.fail(
            "AC002",
            right,
            f"{ast.unparse(right)} is a set of other than ints, strings and members",
            "a tuple or a dict of the module",
        )
    items: list[ast.expr] = [ast.Constant(x) for x in sorted(plain, key=repr)]
    found = ast.List(items, ast.Load())
    for part in ast.walk(found):
        if isinstance(part, ast.expr):
            ast.copy_location(part, right)
    return found


def equal(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var | None:
    """`a == b`; None if values of these types cannot be compared."""
    types = (a.type, b.type)
    if types == (TEXT, TEXT) or (isinstance(a.type, MemberType) and a.type == b.type):
        return ctx.let(T.Scalar("==", (a, b)), BOOL, node, "b")
    if all(t in _NUMBERS for t in types):
        if types != (BOOL, BOOL):
            a, b = counted(ctx, a, node), counted(ctx, b, node)
        return ctx.let(T.Scalar("==", (a, b)), BOOL, node, "b")
    for value, other in ((a, b), (b, a)):
        if isinstance(value.type, OptionalType) and not isinstance(other.type, OptionalType):
            return _equal_if_there(ctx, node, value, other)
    match a.type, b.type:
        case OptionalType(items=(_, x)), OptionalType(items=(_, y)) if _compared(x, y):
            return equal_or_missing(ctx, node, a, b, equal)
        case ListType(), ListType():
            return _equal_lists(ctx, node, a, b)
        case TupleType(), TupleType() if isinstance(a, T.Var) and isinstance(b, T.Var):
            if any(isinstance(t, NO_TUPLES) for t in types) and not _compared(a.type, b.type):
                return None
            return _equal_tuples(ctx, node, a, b)
    return None


def _compared(a: Type, b: Type) -> bool:
    """Whether values of the classes, or dicts with known keys, are compared part by part."""
    if isinstance(a, KeyedType) and isinstance(b, KeyedType):
        return a.keys == b.keys
    both = isinstance(a, RecordType) and isinstance(b, RecordType) and a.name == b.name
    return both and isinstance(a, RecordType) and a.compared


def _same(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var:
    same = equal(ctx, node, a, b)
    if same is None:
        ctx.fail(
            "AC027",
            node,
            f"a comparison of {a.type} and {b.type}",
            "numbers, strings, and lists and tuples of them",
        )
    return same


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
    ended = _ending_where(ctx, node, index, stop, stmts, same, as_many, found=False)
    return ended[0]


def _first(
    ctx: FunctionContext, node: ast.AST, items: T.Atom, value: T.Atom
) -> tuple[T.Var, T.Var]:
    """Whether a list has an item that equals `value`, and the index of the first one."""
    assert isinstance(items.type, ListType)
    if isinstance(items.type.item, NothingType):
        return ctx.let(T.Scalar("not", (T.Const(True, BOOL),)), BOOL, node, "b"), T.Var("at", INT)
    index = T.Var("i", INT)
    stop = length(ctx, items, node)
    with ctx.region() as stmts:
        item = list_op(ctx, "get", (items, index), items.type.item, node)
        same = _same(ctx, node, item, value)
        other = ctx.let(T.Scalar("not", (same,)), BOOL, node, "b")
    missing = T.Const(False, BOOL)
    return _ending_where(ctx, node, index, stop, stmts, other, missing, found=True)


def _ending_where(
    ctx: FunctionContext,
    node: ast.AST,
    index: T.Var,
    stop: T.Atom,
    stmts: list[T.Stmt],
    going: T.Atom,
    init: T.Atom,
    found: bool,
) -> tuple[T.Var, T.Var]:
    """Emit a loop that ends at the first item for which `going` is false. The results are `found`
    if there is such an item, else `init`; and the index of that item."""
    so_far, at = T.Var("found", BOOL), T.Var("at", INT)
    outs = T.Var("found", BOOL), T.Var("at", INT)
    leave = T.Region((), T.Break((T.Const(found, BOOL), index)))
    stmts.append(T.If((), going, T.Region((), T.Yield(())), leave, ctx.span(node)))
    body = T.Region(tuple(stmts), T.Yield((so_far, at)))
    ctx.stmts.append(
        T.For(outs, index, ZERO, stop, ONE, (so_far, at), (init, ZERO), body, ctx.span(node))
    )
    return outs


@method(ListType, "index", Arity(1, 1))
def index_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`xs.index(x)`: the index of the first item that equals `x`."""
    assert isinstance(receiver.type, ListType)
    if isinstance(receiver.type.item, NothingType):
        return ctx.no_item("AC027", node, "an item of an empty list", EMPTY)
    found, at = _first(ctx, node, receiver, ctx.expression(node.args[0], env))
    missing = T.Raise((f"ValueError: {ast.unparse(node.args[0])} is not in the list",), ())
    regions = T.Region((), T.Yield(())), T.Region((), missing)
    ctx.stmts.append(T.If((), found, *regions, ctx.span(node)))
    return at


@method(ListType, "count", Arity(1, 1))
def count(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`xs.count(x)`: how many items equal `x`."""
    value = ctx.expression(node.args[0], env)

    def step(so_far: T.Var, item: T.Atom) -> T.Atom:
        same = counted(ctx, _same(ctx, node, item, value), node)
        return int_op(ctx, "+", (so_far, same), node)

    return fold_list(ctx, node, receiver, ZERO, step, INT)
