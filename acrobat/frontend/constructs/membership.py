"""`x in xs`, `xs.index(x)`, `xs.count(x)`."""

from __future__ import annotations

import ast
import enum

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    INT,
    TEXT,
    DictType,
    KeyedType,
    ListType,
    NothingType,
    QueueType,
)
from ..conditions import truth
from ..context import MISSING, FunctionContext
from ..dict_lists import lists_of
from ..emit import ZERO, host_op, int_op, length, list_op
from ..empty_lists import with_hint
from ..folds import fold_list
from ..registry import ITERABLES, Arity, method
from ..scope import Env
from ..searches import ending_where
from ..set_values import in_any_order
from ..weight_parts import in_parts, weight_keys
from .arguments import temporary
from .dicts import has_key
from .equality import same_or_error
from .function_tables import function_table
from .keyed_weights import has_weight
from .lookups import has, large
from .module_sets import written_out
from .numbers import counted
from .sequences import listed
from .special_methods import call_special, first_special, is_object

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
        right = written_out(ctx, node, right, known)
    if isinstance(right, (ast.Tuple, ast.Set, ast.List)) and 0 < len(right.elts) <= _MOST_TESTS:
        found: T.Var | None = None
        for element in right.elts:
            if isinstance(element, ast.Starred):
                break
            same = same_or_error(ctx, node, value, compared_constant(ctx, element, env))
            either = None if found is None else T.Scalar("or", (found, same))
            found = same if either is None else ctx.let(either, BOOL, node, "b")
        else:
            assert found is not None
            return found
        right = ast.copy_location(ast.List(right.elts, ast.Load()), right)
    if isinstance(right, (ast.Name, ast.Attribute, ast.Subscript)):
        whole = ctx.peek(right, env)
        keys = weight_keys(ctx, whole)
        if keys is not None and value.type == TEXT and isinstance(value, T.Const):
            return T.Const(str(value.value) in keys, BOOL)
        whole = in_parts(ctx, right, whole)
        if isinstance(whole.type, QueueType):
            return _first(ctx, node, lists_of(ctx, whole, node)[1], value)[0]
        if isinstance(whole.type, DictType):
            return has_key(ctx, node, whole, value)
        if isinstance(whole.type, KeyedType):
            return has_weight(ctx, node, whole, value)
        by_method = _by_method(ctx, node, right, whole, value)
        if by_method is not None:
            return by_method
    elif _is_object(ctx, right, env):
        whole = ctx.expression(right, env)
        by_method = _by_method(ctx, node, right, whole, value)
        if by_method is not None:
            return by_method
        right = temporary(env, ast.unparse(right), whole, right)
    if isinstance(right, (ast.Tuple, ast.List, ast.Set)):  # `x in (a, *s)`
        for element in right.elts:
            in_any_order(element.value if isinstance(element, ast.Starred) else element)
    items = listed(ctx, in_any_order(right), env)
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


def _by_method(
    ctx: FunctionContext, node: ast.Compare, right: ast.expr, whole: T.Atom, value: T.Atom
) -> T.Atom | None:
    """`value in whole`, by the class's `__contains__`; None if its items are compared."""
    if first_special(ctx, right, whole.type, "__contains__") is None:
        return None
    return truth(ctx, node, call_special(ctx, right, whole, "__contains__", value))


def _is_object(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node`, which is no name, is an object of a class of the author's, `V(2)`."""
    if not isinstance(node, (ast.Call, ast.IfExp, ast.BoolOp, ast.BinOp, ast.NamedExpr)):
        return False
    if isinstance(node, ast.Call) and id(ctx.static(node.func, env)) in ITERABLES:
        return False
    with ctx.region():
        return is_object(ctx.expression(node, env.copy()).type)


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
        same = same_or_error(ctx, node, item, value)
        other = ctx.let(T.Scalar("not", (same,)), BOOL, node, "b")
    missing = T.Const(False, BOOL)
    return ending_where(ctx, node, index, stop, stmts, other, missing, found=True)


@method(ListType, "index", Arity(1, 1))
def index_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`xs.index(x)`: the index of the first item that equals `x`."""
    assert isinstance(receiver.type, ListType)
    if isinstance(receiver.type.item, NothingType):
        return ctx.no_item("AC027", node, "an item of an empty list", with_hint(node))
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
        same = counted(ctx, same_or_error(ctx, node, item, value), node)
        return int_op(ctx, "+", (so_far, same), node)

    return fold_list(ctx, node, receiver, ZERO, step, INT)
