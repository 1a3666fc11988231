"""Python's `math` on numbers; a tensor of rank 0 counts as its number, as in `float(x)`."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.mathematics import MATH, result_of
from ...ir.types import BOOL, FLOAT, INT, TensorType, TupleType
from ..context import FunctionContext
from ..decisions import of_rank_0, read_number
from ..emit import widen
from ..presence import not_none
from ..registry import Arity, CallHandler, function
from ..scope import Env


def _number(ctx: FunctionContext, node: ast.expr, name: str, env: Env) -> T.Atom:
    """An argument, as a float."""
    value = widen(not_none(ctx, node, ctx.expression(node, env), env), FLOAT)
    if of_rank_0(value):
        return read_number(ctx, value, node)
    if value.type in (INT, BOOL):
        return ctx.let(T.Scalar("float", (value,)), FLOAT, node, "n")
    if value.type != FLOAT:
        ops = f"`ops.{name}`" if name in ("exp", "log", "sqrt", "tanh") else "an operation of ops"
        tensor = isinstance(value.type, TensorType)
        instead = f"{ops} of a tensor, or `ops.item(x)` for its number" if tensor else "a number"
        ctx.fail("AC017", node, f"math.{name} of a {value.type}", instead)
    return value


def _handler(name: str) -> CallHandler:
    def lower(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
        args = tuple(_number(ctx, a, name, env) for a in node.args)
        return ctx.let(T.Scalar(f"math.{name}", args), result_of(name), node, name)

    return lower


for _name, _count in MATH.items():
    if _name != "log":
        function(getattr(math, _name), Arity(_count, _count))(_handler(_name))


@function(math.log, Arity(1, 2))
def log(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`math.log(x)`, `math.log(x, base)`."""
    logs = [
        ctx.let(T.Scalar("math.log", (_number(ctx, a, "log", env),)), FLOAT, node, "log")
        for a in node.args
    ]
    return logs[0] if len(logs) == 1 else ctx.let(T.Scalar("/", tuple(logs)), FLOAT, node, "log")


def _whole(
    ctx: FunctionContext, node: ast.Call, name: str, env: Env
) -> tuple[T.Atom, T.Var | None]:
    (source,) = node.args
    x = ctx.expression(source, env)
    if of_rank_0(x):
        x = read_number(ctx, x, source)
    if x.type == FLOAT:
        return x, ctx.let(T.Scalar("int", (x,)), INT, node, "n")
    if x.type != INT:
        ctx.fail("AC017", source, f"math.{name} of a {x.type}", "a number")
    return x, None


@function(math.trunc, Arity(1, 1))
def trunc(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`math.trunc(x)`."""
    x, whole = _whole(ctx, node, "trunc", env)
    return x if whole is None else whole


@function(math.floor, Arity(1, 1))
def floor(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`math.floor(x)`."""
    return _rounded(ctx, node, "floor", ">", "-", env)


@function(math.ceil, Arity(1, 1))
def ceil(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`math.ceil(x)`."""
    return _rounded(ctx, node, "ceil", "<", "+", env)


def _rounded(
    ctx: FunctionContext, node: ast.Call, name: str, beyond: str, step: str, env: Env
) -> T.Atom:
    """The number truncated to an int, moved by one `step` if the int lies `beyond` the number."""
    x, whole = _whole(ctx, node, name, env)
    if whole is None:
        return x
    off = ctx.let(T.Scalar(beyond, (whole, x)), BOOL, node, "b")
    by = ctx.let(T.Scalar("int", (off,)), INT, node, "n")
    return ctx.let(T.Scalar(step, (whole, by)), INT, node, "n")


@function(math.dist, Arity(2, 2))
def dist(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`math.dist((x, y), (z, w))`, of tuples."""
    points: list[list[T.Atom]] = []
    for source in node.args:
        point = ctx.expression(source, env)
        items = point.type.items if type(point.type) is TupleType else ()
        if not isinstance(point, T.Var) or not items or not set(items) <= {INT, FLOAT, BOOL}:
            ctx.fail("AC017", source, f"math.dist of a {point.type}", "a tuple of numbers")
        parts = [ctx.let(T.GetItem(point, i), t, node, "x") for i, t in enumerate(items)]
        points.append([_as_float(ctx, node, p) for p in parts])
    if len(points[0]) != len(points[1]):
        counts = " and ".join(str(len(p)) for p in points)
        ctx.fail("AC017", node, f"math.dist of points of {counts} numbers", "as many of each")
    pairs = zip(*points, strict=True)
    return _norm(ctx, node, [ctx.let(T.Scalar("-", p), FLOAT, node, "d") for p in pairs])


@function(math.hypot, Arity(1))
def hypot(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`math.hypot(x, y)`."""
    return _norm(ctx, node, [_number(ctx, a, "hypot", env) for a in node.args])


def _as_float(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    return x if x.type == FLOAT else ctx.let(T.Scalar("float", (x,)), FLOAT, node, "n")


def _norm(ctx: FunctionContext, node: ast.AST, parts: Sequence[T.Atom]) -> T.Atom:
    """The square root of the sum of squares. The numbers are first divided by the largest of them,
    so that the squares neither overflow nor become 0."""
    if len(parts) == 1:
        return ctx.let(T.Scalar("abs", (parts[0],)), FLOAT, node, "n")

    def number(op: str, *args: T.Atom) -> T.Var:
        return ctx.let(T.Scalar(op, args), FLOAT, node, "n")

    sizes = [number("abs", p) for p in parts]
    largest = number("max", *sizes)
    least = T.Const(sys.float_info.min, FLOAT)
    scale = number("max", largest, least)
    total: T.Atom = T.Const(0.0, FLOAT)
    for size in sizes:
        part = number("/", size, scale)
        total = number("+", total, number("*", part, part))
    return number("*", scale, number("math.sqrt", total))
