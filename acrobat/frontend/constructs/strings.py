"""Strings taken apart: `len(s)`, `s[0]`, `s[1:]`, `for c in s`, `s.split()` and other methods.

Python itself computes what these are, when the program asks (`ir/host_functions.py`).
"""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.host_functions import HOST_FUNCTIONS, NO_BOUND
from ...ir.types import BOOL, INT, TEXT, ListType, NothingType, TextType, TupleType, Type
from ..context import FunctionContext
from ..emit import host_op
from ..folds import fold_list
from ..iteration_space import IterationSpace
from ..registry import Arity, function, iterated, method, subscript
from ..scope import Env
from ..syntax import mark_fresh
from .bounds import slice_bound
from .sequences import listed


@subscript(TextType)
def string_item(ctx: FunctionContext, node: ast.Subscript, text: T.Atom, env: Env) -> T.Atom:
    """`s[i]`, `s[a:b]`, `s[::-1]`."""
    if not isinstance(node.slice, ast.Slice):
        return host_op(ctx, "str.item", (text, _whole(ctx, node.slice, env)), node)
    bounds = (node.slice.lower, node.slice.upper, node.slice.step)
    none = T.Const(NO_BOUND, INT)
    args = (text, *(none if b is None else slice_bound(ctx, b, env, none) for b in bounds))
    return host_op(ctx, "str.slice", args, node)


def _whole(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    value = ctx.expression(node, env)
    if value.type == BOOL:
        return ctx.let(T.Scalar("int", (value,)), INT, node, "n")
    if value.type != INT:
        ctx.fail("AC017", node, f"a {value.type} as the index of a string", "an int")
    return value


@iterated(TextType)
def over_string(ctx: FunctionContext, node: ast.expr, text: T.Atom) -> IterationSpace:
    """`for c in s`."""
    count = host_op(ctx, "str.len", (text,), node)
    return IterationSpace.count(count, lambda i: host_op(ctx, "str.item", (text, i), node))


@function(ord, Arity(1, 1))
def ord_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`ord(c)`."""
    return host_op(ctx, "ord", _given(ctx, node, "ord", (TEXT,), env), node)


@function(chr, Arity(1, 1))
def chr_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`chr(n)`."""
    return host_op(ctx, "chr", _given(ctx, node, "chr", (INT,), env), node)


def _given(
    ctx: FunctionContext, node: ast.Call, name: str, types: tuple[Type, ...], env: Env
) -> tuple[T.Atom, ...]:
    """The arguments of a call, which must be of these types."""
    values = tuple(ctx.expression(a, env) for a in node.args)
    for source, value, t in zip(node.args, values, types, strict=True):
        if value.type != t:
            ctx.fail("AC017", source, f"{name} of a {value.type}", f"a value of type {t}")
    return values


def _method(name: str, counts: list[int]) -> None:
    @method(TextType, name, Arity(min(counts), max(counts)))
    def lower(ctx: FunctionContext, node: ast.Call, text: T.Atom, env: Env) -> T.Atom:
        op = f"str.{name}/{len(node.args)}"
        if name in ("startswith", "endswith"):
            several = ctx.peek(node.args[0], env)
            if isinstance(several.type, TupleType) and isinstance(several, T.Var):
                return _any_of(ctx, node, op, text, several)
        given = _given(ctx, node, name, HOST_FUNCTIONS[op].args[1:], env)
        return host_op(ctx, op, (text, *given), node)


def _any_of(ctx: FunctionContext, node: ast.Call, op: str, text: T.Atom, parts: T.Var) -> T.Atom:
    """`s.startswith(("a", "b"))`."""
    assert isinstance(parts.type, TupleType)
    found: T.Atom = T.Const(False, BOOL)
    for i, t in enumerate(parts.type.items):
        if t != TEXT:
            ctx.fail("AC017", node.args[0], f"a {t} among the strings", "strings alone")
        part = ctx.let(T.GetItem(parts, i), t, node, "part")
        one = host_op(ctx, op, (text, part), node)
        found = one if i == 0 else ctx.let(T.Scalar("or", (found, one)), BOOL, node, "b")
    return found


_COUNTS: dict[str, list[int]] = {}
for _op in HOST_FUNCTIONS:
    if _op.startswith("str.") and "/" in _op and ".len" not in _op and ".item" not in _op:
        _name, _, _count = _op.removeprefix("str.").partition("/")
        _COUNTS.setdefault(_name, []).append(int(_count))
for _name, _numbers in _COUNTS.items():
    _method(_name, _numbers)


def _splitting(name: str) -> None:
    @method(TextType, name)
    def lower(ctx: FunctionContext, node: ast.Call, text: T.Atom, env: Env) -> T.Atom:
        by, most = _separator(ctx, node, name, env)
        given = (text, *(() if by is None else (by,)), most)
        return _parts(ctx, node, name, given, 0 if by is None else 1)


@method(TextType, "splitlines", Arity(0, 0))
def splitlines(ctx: FunctionContext, node: ast.Call, text: T.Atom, env: Env) -> T.Var:
    """`s.splitlines()`."""
    return _parts(ctx, node, "splitlines", (text,), 0)


def _parts(
    ctx: FunctionContext, node: ast.Call, name: str, given: tuple[T.Atom, ...], arguments: int
) -> T.Var:
    """The list of the parts that a method splits a string into."""
    count = host_op(ctx, f"str.{name}.len/{arguments}", given, node)
    index, out = T.Var("i", INT), T.Var("parts", ListType(TEXT))
    with ctx.region() as stmts:
        item = host_op(ctx, f"str.{name}.item/{arguments}", (*given, index), node)
    body = T.Region(tuple(stmts), T.Yield((item,)))
    ctx.stmts.append(T.Map((out,), index, count, body, False, ctx.span(node)))
    mark_fresh(node)
    return out


def _separator(
    ctx: FunctionContext, node: ast.Call, name: str, env: Env
) -> tuple[T.Atom | None, T.Atom]:
    """The separator, None for white space, and the most parts to cut off, -1 for all."""
    given = dict(zip(("sep", "maxsplit"), node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    if len(node.args) > 2 or not given.keys() <= {"sep", "maxsplit"}:
        ctx.fail("AC016", node, f"{name} takes a separator and a number", f"`s.{name}(',', 1)`")
    separator, most = given.get("sep"), given.get("maxsplit")
    by = None
    if separator is not None and not _is_none(separator):
        by = ctx.expression(separator, env)
        if by.type != TEXT:
            ctx.fail("AC017", separator, f"{name} by a {by.type}", "a value of type str")
    return by, T.Const(-1, INT) if most is None else _whole(ctx, most, env)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


for _name in ("split", "rsplit"):
    _splitting(_name)


def _partition(name: str) -> None:
    @method(TextType, name, Arity(1, 1))
    def lower(ctx: FunctionContext, node: ast.Call, text: T.Atom, env: Env) -> T.Atom:
        (by,) = _given(ctx, node, name, (TEXT,), env)
        parts = tuple(
            host_op(ctx, f"str.{name}", (text, by, T.Const(i, INT)), node) for i in range(3)
        )
        return ctx.let(T.MakeTuple(parts), TupleType((TEXT,) * 3), node, "parts")


for _name in ("partition", "rpartition"):
    _partition(_name)


@method(TextType, "join", Arity(1, 1))
def join(ctx: FunctionContext, node: ast.Call, text: T.Atom, env: Env) -> T.Atom:
    """`", ".join(words)`."""
    words = listed(ctx, node.args[0], env)
    assert isinstance(words.type, ListType)
    if isinstance(words.type.item, NothingType):
        return ctx.builder.text("")
    if words.type.item != TEXT:
        ctx.fail("AC017", node.args[0], f"join of a {words.type}", "a list of strings")

    def step(so_far: T.Var, word: T.Atom) -> T.Atom:
        return host_op(ctx, "str.+", (host_op(ctx, "str.+", (so_far, text), node), word), node)

    whole = fold_list(ctx, node, words, ctx.builder.text(""), step, TEXT)
    none = T.Const(NO_BOUND, INT)
    width = host_op(ctx, "str.len", (text,), node)
    return host_op(ctx, "str.slice", (whole, width, none, none), node)
