"""Weights in a dict, `p.w["left"]`, and dicts whose values have several types, `{"h": h, "n": 3}`:
every key is known when the model is compiled."""

from __future__ import annotations

import ast
from functools import reduce
from typing import TypeGuard

from ...ir import typed as T
from ...ir.type_queries import run_time_value
from ...ir.types import (
    BOOL,
    INT,
    BoolType,
    FloatType,
    IntType,
    KeyedType,
    TensorType,
    TupleType,
    Type,
)
from ..context import FunctionContext
from ..emit import make_tuple
from ..iteration_space import IterationSpace
from ..registry import Arity, iterated, method, subscript
from ..scope import Env
from ..suggestions import suggest
from ..syntax import has_effect, names_in
from .arguments import temporary
from .iteration import over_tuple
from .key_choice import Key, chosen_by_key, parts_by_key, placed, written
from .key_patterns import WRITTEN, possible_keys

# The types of values of which a key of the instance may choose one.
_ALIKE = (TensorType, FloatType, IntType, BoolType)


@subscript(KeyedType)
def keyed_weight(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`p.w["left"]`; for weights of one shape, and for numbers, the key may also be a value of the
    instance."""
    assert isinstance(obj.type, KeyedType)
    keys = possible_keys(ctx, node.slice, obj.type.keys, env)
    kinds = {obj.type.items[obj.type.keys.index(k)] for k in keys}
    of_one_type = len(kinds) == 1 and isinstance(next(iter(kinds)), _ALIKE)
    if of_one_type and not isinstance(ctx.peek(node.slice, env), T.Const):

        def part(k: Key) -> ast.expr:
            return ast.Subscript(node.value, written(k), ast.Load())

        text = ast.unparse(node.value)
        if ctx.peek(node.slice, env).type == obj.type.key:
            return chosen_by_key(ctx, node, text, node.slice, keys, part, env)
    parts_of = next(iter(kinds), None)
    if parts_of is not None and len(kinds) == 1 and _has_alike_parts(parts_of):
        with ctx.region():
            chosen = ctx.peek(node.slice, env.copy())
        if chosen.type == obj.type.key and not isinstance(chosen, T.Const):
            count = len(parts_of.items)
            return make_tuple(ctx, parts_by_key(ctx, node, keys, count, env), node)
    key = _known_key(ctx, node.slice, node.value, obj.type, env)
    if key not in obj.type.keys:
        ctx.fail(
            "AC014",
            node.slice,
            f"{ast.unparse(node.value)} has no key {key!r}",
            suggest(str(key), list(map(str, obj.type.keys)))
            or f"its keys are {_listed(obj.type) or 'none'}",
        )
    return _part(ctx, node, obj, obj.type.keys.index(key))


def _has_alike_parts(t: Type) -> TypeGuard[TupleType]:
    """Whether values of type `t` are tuples, the parts of which a key may choose."""
    return type(t) is TupleType and all(isinstance(i, _ALIKE) for i in t.items)


@method(KeyedType, "get", Arity(1, 2))
def get(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`p.w.get("left")`, `p.w.get("left", p.b)`."""
    assert isinstance(receiver.type, KeyedType) and isinstance(node.func, ast.Attribute)
    source, *more = node.args
    none = ast.copy_location(ast.Constant(None), node)
    default = more[0] if more else none
    chosen = ctx.peek(source, env)
    if chosen.type == receiver.type.key and not isinstance(chosen, T.Const):
        owner = node.func.value
        name = temporary(env, f"({ast.unparse(source)})", ctx.expression(source, env), node)
        setattr(name, WRITTEN, source)
        there = ast.Compare(name, [ast.In()], [owner])
        item = ast.Subscript(owner, name, ast.Load())
        return ctx.expression(placed(ast.IfExp(there, item, default), node), env)
    key = _known_key(ctx, source, node.func.value, receiver.type, env)
    if key in receiver.type.keys:
        if has_effect(default):
            ctx.expression(default, env)  # evaluated all the same
        return _part(ctx, node, receiver, receiver.type.keys.index(key))
    return ctx.expression(default, env)


@method(KeyedType, "keys", Arity(0, 0))
def keys(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`p.w.keys()`."""
    return _keys(ctx, node, receiver)


@method(KeyedType, "values", Arity(0, 0))
def values(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`p.w.values()`."""
    return make_tuple(ctx, _parts(ctx, node, receiver), node, "values")


@method(KeyedType, "items", Arity(0, 0))
def items(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`p.w.items()`; a loop over it is unrolled."""
    assert isinstance(receiver.type, KeyedType)
    pairs = [
        make_tuple(ctx, (_constant(ctx, key), part), node)
        for key, part in zip(receiver.type.keys, _parts(ctx, node, receiver), strict=True)
    ]
    return make_tuple(ctx, tuple(pairs), node, "items")


@iterated(KeyedType)
def over_keys(ctx: FunctionContext, node: ast.expr, weights: T.Atom) -> IterationSpace:
    """`for key in p.w`."""
    return over_tuple(ctx, node, _keys(ctx, node, weights))


def has_weight(ctx: FunctionContext, node: ast.AST, weights: T.Atom, key: T.Atom) -> T.Atom:
    """`key in p.w`: a constant if `key` is known, else comparisons with every key of the dict."""
    assert isinstance(weights.type, KeyedType)
    if key.type != weights.type.key:
        return T.Const(False, BOOL)
    if isinstance(key, T.Const):
        return T.Const(_written(key) in weights.type.keys, BOOL)

    def either(found: T.Atom, name: str | int) -> T.Atom:
        same = ctx.let(T.Scalar("==", (key, _constant(ctx, name))), BOOL, node, "b")
        return ctx.let(T.Scalar("or", (found, same)), BOOL, node, "b")

    none: T.Atom = T.Const(False, BOOL)
    return reduce(either, weights.type.keys, none)


def _known_key(
    ctx: FunctionContext, node: ast.expr, owner: ast.expr, t: KeyedType, env: Env
) -> str | int:
    weights = all(isinstance(i, TensorType) or not run_time_value(i) for i in t.items)
    what = "weight" if weights else "value"
    key = ctx.expression(node, env)
    if key.type == t.key and isinstance(key, T.Const):
        return _written(key)
    text, wanted = ast.unparse(owner), ast.unparse(node)
    name = next(n for n in ("key", "name", "k") if n not in names_in(node))
    if key.type != t.key:
        kind, example = ("an int", "0") if t.key == INT else ("a string", '"left"')
        ctx.fail(
            "AC017",
            node,
            f"a key of {what}s is {kind}, this is {key.type}",
            f"`{text}[{example}]`",
        )
    ctx.fail(
        "AC002",
        node,
        f"which {what} of {text} it is, is not known when the model is compiled",
        f"`for {name}, w in {text}.items():` with `if {name} == {wanted}:` around what uses `w`",
    )


def _part(ctx: FunctionContext, node: ast.AST, weights: T.Atom, at: int) -> T.Atom:
    """One of the weights; a constant if it is a known number."""
    assert isinstance(weights.type, KeyedType) and isinstance(weights, T.Var)
    known = ctx.parts.get(weights.number)
    if known and isinstance(known[at], T.Const):
        return known[at]
    return ctx.let(T.GetItem(weights, at), weights.type.items[at], node, "part")


def _parts(ctx: FunctionContext, node: ast.AST, weights: T.Atom) -> tuple[T.Atom, ...]:
    assert isinstance(weights.type, KeyedType)
    return tuple(_part(ctx, node, weights, i) for i in range(len(weights.type.keys)))


def _keys(ctx: FunctionContext, node: ast.AST, weights: T.Atom) -> T.Var:
    assert isinstance(weights.type, KeyedType)
    return make_tuple(ctx, tuple(_constant(ctx, k) for k in weights.type.keys), node, "keys")


def _constant(ctx: FunctionContext, key: str | int) -> T.Const:
    return ctx.builder.text(key) if isinstance(key, str) else T.Const(key, INT)


def _written(key: T.Const) -> str | int:
    return str.__str__(key.value) if isinstance(key.value, str) else int(key.value)


def _listed(t: KeyedType) -> str:
    return ", ".join(map(repr, t.keys))
