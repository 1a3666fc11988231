"""Dicts: `{}`, `d[k]`, `k in d`, `d.items()`. Changes of dicts are in `dict_changes`."""

from __future__ import annotations

import ast
import collections
from collections.abc import Sequence
from typing import Any

from ...ir import typed as T
from ...ir.types import BOOL, INT, DefaultDictType, DictType, KeyedType, ListType, TupleType, Type
from ..context import FunctionContext
from ..dict_lists import (
    check_keys,
    empty,
    find_key,
    get_value,
    has_no_keys,
    item_of,
    lists_of,
    made_dict,
    of_pairs,
    stored,
    value_or,
)
from ..emit import length, list_op, make_tuple
from ..escaping import may_hold_list
from ..iteration_space import IterationSpace
from ..registry import Arity, expression, function, iterated, method, subscript
from ..scope import Env
from ..syntax import mark_fresh, names_in, owner_name
from ..weight_parts import in_parts
from ..written import placed
from .arguments import temporary
from .effects_once import once_each
from .lists import NAMED, OF_DICT
from .sequences import listed


@expression(ast.Dict)
def dict_literal(ctx: FunctionContext, node: ast.Dict, env: Env) -> T.Var:
    """`{}`, `{"a": x, "b": y}`, `{**d, "a": x}`."""
    if None in node.keys:
        values = once_each(ctx, node.values, env)
        node = ast.copy_location(ast.Dict(node.keys, values), node)
    node = with_known_keys(ctx, node, env)
    keys = [k for k in node.keys if k is not None]
    if len(keys) < len(node.keys):
        return of_pairs(ctx, node, _merged(ctx, node, env))
    constants = [k.value for k in keys if isinstance(k, ast.Constant)]
    if len(set(constants)) == len(keys):  # no key occurs twice, so none has to be looked up
        written = [
            ast.copy_location(ast.List(list(found), ast.Load()), node)
            for found in (keys, node.values)
        ]
        named = all(isinstance(k, str) for k in constants)
        setattr(written[1], OF_DICT, NAMED if named else True)
        lists = [ctx.expression(found, env) for found in written]
        if isinstance(lists[1].type, TupleType) and isinstance(lists[1], T.Var):
            return _with_names(ctx, node, constants, lists[1])
        for key in keys[:1]:
            check_keys(ctx, key, item_of(lists[0]))
        return made_dict(ctx, (lists[0], lists[1]), node)
    lists_so_far = empty(ctx, node)
    for k, v in zip(keys, node.values, strict=True):
        pair = ctx.expression(k, env), ctx.expression(v, env)
        lists_so_far = stored(ctx, node, lists_so_far, k, *pair)
    return made_dict(ctx, lists_so_far, node)


def with_known_keys(ctx: FunctionContext, node: ast.Dict, env: Env) -> ast.Dict:
    """`{**d, "n": 5}` with the keys of d, if they are known when the model is compiled."""
    found: dict[str, ast.expr] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        whole = None if key is not None else in_parts(ctx, value, ctx.peek(value, env))
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            found[key.value] = value
        elif whole is not None and isinstance(whole.type, KeyedType):
            owner = temporary(env, ast.unparse(value), whole, value)
            for name in whole.type.keys:
                found[name] = ast.Subscript(owner, ast.Constant(name), ast.Load())
        else:
            return node
    if None not in node.keys:
        return node
    names: list[ast.expr | None] = [ast.Constant(name) for name in found]
    return placed(ast.Dict(names, list(found.values())), node)


def _with_names(ctx: FunctionContext, node: ast.Dict, keys: list[Any], values: T.Var) -> T.Var:
    """A dict whose values are weights or of several types, like one in a class of weights."""
    if not all(isinstance(k, str) for k in keys):
        ctx.fail("AC008", node, "a dict of weights with other keys than strings", "names for them")
    types = values.type.items if isinstance(values.type, TupleType) else ()
    parts = [ctx.let(T.GetItem(values, i), t, node, "part") for i, t in enumerate(types)]
    return ctx.let(T.MakeTuple(tuple(parts)), KeyedType(types, tuple(keys)), node, "dict")


def both_dicts(ctx: FunctionContext, node: ast.BinOp, dicts: Sequence[T.Atom], env: Env) -> T.Atom:
    """`d | e`, lowered as `{**d, **e}`."""
    for name in names_in(node):
        env.hand_out(name)  # lists in these dicts are in the result, too
    values: list[ast.expr] = [temporary(env, f"({i})", d, node) for i, d in enumerate(dicts)]
    merged = ast.copy_location(ast.Dict([None, None], values), node)
    return of_pairs(ctx, node, _merged(ctx, merged, env))


def _merged(ctx: FunctionContext, node: ast.Dict, env: Env) -> T.Atom:
    """The (key, value) pairs of a dict literal that contains other dicts, as `**d`, in order."""
    pairs: list[ast.expr] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            pairs.append(ast.Tuple([key, value], ast.Load()))
            continue
        given = ctx.peek(value, env).type
        if type(given) is not DictType:
            ctx.fail("AC017", value, f"`**` of a {given} in a dict", "a dict")
        items = ast.Call(ast.Attribute(value, "items", ast.Load()), [], [])
        pairs.append(ast.Starred(items, ast.Load()))
    listed_pairs = ast.List(pairs, ast.Load())
    for part in ast.walk(listed_pairs):
        if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return ctx.expression(listed_pairs, env)


@expression(ast.DictComp)
def dict_comprehension(ctx: FunctionContext, node: ast.DictComp, env: Env) -> T.Var:
    """`{k: f(x) for k, x in xs}`: its values are computed independently of each other."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    pairs = ctx.expression(ast.copy_location(ast.ListComp(pair, node.generators), node), env)
    return of_pairs(ctx, node, pairs)


@function(collections.OrderedDict)
@function(dict)
def dict_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`dict()`, `dict(d)`, `dict(pairs)`, `dict(h=h, n=0)`."""
    mark_fresh(node)
    if node.keywords and not node.args:
        names: list[ast.expr | None] = [ast.Constant(k.arg) for k in node.keywords]
        values = [k.value for k in node.keywords]
        return ctx.expression(placed(ast.Dict(names, values), node), env)
    if len(node.args) > 1 or node.keywords:
        ctx.fail("AC016", node, "dict takes one argument, or keywords", "`dict(pairs)`")
    if not node.args:
        return made_dict(ctx, empty(ctx, node), node)
    (source,) = node.args
    if isinstance(source, (ast.Name, ast.Attribute, ast.Subscript)):
        value = ctx.peek(source, env)
        if type(value.type) in (DictType, DefaultDictType):
            # Lists in it are in the copy, too.
            lists = lists_of(ctx, value, node)
            hands_out(source, item_of(lists[1]), env)
            return made_dict(ctx, lists, node)
    return of_pairs(ctx, node, listed(ctx, source, env))


@subscript(DictType)
def dict_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`d[k]`; the instance is at fault if there is no such key."""
    lists = lists_of(ctx, obj, node)
    key = ctx.expression(node.slice, env)
    hands_out(node.value, item_of(lists[1]), env)
    return get_value(ctx, node, node.slice, lists, key)


@method(DefaultDictType, "get", Arity(1, 2))
@method(DictType, "get", Arity(1, 2))
def get(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.get(k)`, `d.get(k, default)`."""
    hands_out(node.func, item_of(lists_of(ctx, receiver, node)[1]), env)
    source, *more = node.args
    key = ctx.expression(source, env)
    other: T.Atom = (
        ctx.expression(more[0], env)
        if more
        else ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), node)
    )
    keys, values = lists_of(ctx, receiver, node)
    if has_no_keys(keys):
        return other
    at, there = find_key(ctx, source, keys, key)
    return value_or(ctx, node, values, at, there, other)


@method(DefaultDictType, "keys", Arity(0, 0))
@method(DictType, "keys", Arity(0, 0))
def keys_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.keys()`."""
    _hands_out_view(node, env)
    return lists_of(ctx, receiver, node)[0]


@method(DefaultDictType, "values", Arity(0, 0))
@method(DictType, "values", Arity(0, 0))
def values_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.values()`."""
    _hands_out_view(node, env)
    return lists_of(ctx, receiver, node)[1]


@method(DefaultDictType, "items", Arity(0, 0))
@method(DictType, "items", Arity(0, 0))
def items_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.items()`, as a list of (key, value) tuples."""
    _hands_out_view(node, env)
    keys, values = lists_of(ctx, receiver, node)
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        parts = [list_op(ctx, "get", (x, index), item_of(x), node) for x in (keys, values)]
        pair = make_tuple(ctx, tuple(parts), node)
    out = T.Var("items", ListType(pair.type))
    region = T.Region(tuple(stmts), T.Yield((pair,)))
    ctx.stmts.append(T.Map((out,), index, length(ctx, keys, node), region, False, ctx.span(node)))
    return out


def hands_out(node: ast.expr, t: Type, env: Env) -> None:
    """Record that a value of type `t` in a dict, which is `node` or has the method `node`, gets
    another name: lists in the dict can no longer be changed."""
    owner = node.value if isinstance(node, ast.Attribute) else node
    if may_hold_list(t):
        env.hand_out(owner_name(owner))


def _hands_out_view(node: ast.Call, env: Env) -> None:
    """Record that something refers to a dict itself: in plain Python `d.keys()` changes with it."""
    assert isinstance(node.func, ast.Attribute)
    owner = node.func.value
    env.hand_out(owner_name(owner))
    if isinstance(owner, ast.Name):
        env.owned.discard(owner.id)


@iterated(DefaultDictType)
@iterated(DictType)
def over_dict(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for k in d`."""
    keys, _ = lists_of(ctx, items, node)
    return IterationSpace.count(
        length(ctx, keys, node), lambda i: list_op(ctx, "get", (keys, i), item_of(keys), node)
    )


def has_key(ctx: FunctionContext, node: ast.AST, obj: T.Atom, key: T.Atom) -> T.Atom:
    """`k in d`."""
    keys, _ = lists_of(ctx, obj, node)
    if has_no_keys(keys):
        return T.Const(False, BOOL)  # nothing has been put into it
    return find_key(ctx, node, keys, key)[1]
