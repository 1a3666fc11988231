"""Calls of Python's builtins on numbers and lists."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import FLOAT, INT, ListType, TensorType
from ..context import FunctionContext
from ..emit import length, widen
from ..registry import Arity, function
from ..scope import Env


@function(len, Arity(1, 1))
def len_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`len(xs)`."""
    (source,) = node.args
    items = ctx.peek(source, env)
    if not isinstance(items.type, ListType):
        ctx.fail("AC017", source, f"len of a {items.type}", "a list, or `x.shape[0]`")
    return length(ctx, items, node)


@function(min, Arity(2))
def min_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`min(a, b, ...)`."""
    return _extremum(ctx, "min", node, env)


@function(max, Arity(2))
def max_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`max(a, b, ...)`."""
    return _extremum(ctx, "max", node, env)


def _extremum(ctx: FunctionContext, name: str, node: ast.Call, env: Env) -> T.Var:
    args = _numbers(
        ctx, name, node, f"`ops.{name}imum(a, b)`, or `ops.{name}(x)` over an axis", env
    )
    t = FLOAT if FLOAT in [a.type for a in args] else INT
    args = tuple(widen(a, t) for a in args)
    for source, arg in zip(node.args, args, strict=True):
        if arg.type != t:
            ctx.fail(
                "AC017",
                source,
                f"{name} of int and float, which would be the one or the other",
                f"`float({ast.unparse(source)})`",
                ctx.origin_notes((source, arg)),
            )
    return ctx.let(T.Scalar(name, args), t, node, "n")


@function(abs, Arity(1, 1))
def abs_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`abs(n)`."""
    args = _numbers(ctx, "abs", node, "`ops.abs`", env)
    return ctx.let(T.Scalar("abs", args), args[0].type, node, "n")


@function(int, Arity(1, 1))
def int_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`int(n)`."""
    args = _numbers(ctx, "int", node, f"`ops.item({ast.unparse(node.args[0])})`", env)
    return ctx.let(T.Scalar("int", args), INT, node, "n")


@function(float, Arity(1, 1))
def float_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`float(n)`."""
    args = _numbers(ctx, "float", node, f"`ops.item({ast.unparse(node.args[0])})`", env)
    return ctx.let(T.Scalar("float", args), FLOAT, node, "n")


def _numbers(
    ctx: FunctionContext, name: str, node: ast.Call, for_tensors: str, env: Env
) -> tuple[T.Atom, ...]:
    """The arguments, which are numbers; `for_tensors` is the hint where one is a tensor."""
    args = tuple(ctx.expression(a, env) for a in node.args)
    for source, arg in zip(node.args, args, strict=True):
        if arg.type not in (INT, FLOAT):
            instead = for_tensors if isinstance(arg.type, TensorType) else "a number"
            ctx.fail("AC017", source, f"{name} of a {arg.type}", instead)
    return args
