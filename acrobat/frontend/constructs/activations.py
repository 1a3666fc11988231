"""Activations built on clipping to two bounds, composed of other operations: `ops.clip`,
`ops.hardtanh`, `ops.relu6`, `ops.hardsigmoid`, `ops.hardswish`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import FLOAT
from ..context import FunctionContext
from ..emit import tensor_op
from ..registry import operation
from ..scope import Env

Given = dict[str, ast.expr]
Side = tuple[ast.expr, T.Atom]


def _between(ctx: FunctionContext, node: ast.Call, x: Side, low: Side, high: Side) -> T.Var:
    above = tensor_op(ctx, "maximum", node, [x, low])
    return tensor_op(ctx, "minimum", node, [(node, above), high])


def _number(node: ast.Call, value: float) -> Side:
    return node, T.Const(value, FLOAT)


@operation("clip")
def clip(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.clip(x, low, high)`."""
    x, low, high = ((given[n], ctx.expression(given[n], env)) for n in ("x", "low", "high"))
    return _between(ctx, node, x, low, high)


@operation("hardtanh")
def hardtanh(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.hardtanh(x, low, high)`."""
    bounds = {"low": _number(node, -1.0), "high": _number(node, 1.0)}
    sides = bounds | {n: (source, ctx.expression(source, env)) for n, source in given.items()}
    return _between(ctx, node, sides["x"], sides["low"], sides["high"])


@operation("relu6")
def relu6(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.relu6(x)`."""
    x = given["x"], ctx.expression(given["x"], env)
    return _between(ctx, node, x, _number(node, 0.0), _number(node, 6.0))


@operation("hardsigmoid")
def hardsigmoid(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.hardsigmoid(x)`."""
    return _hardsigmoid(ctx, node, (given["x"], ctx.expression(given["x"], env)))


@operation("hardswish")
def hardswish(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.hardswish(x)`."""
    x = given["x"], ctx.expression(given["x"], env)
    return tensor_op(ctx, "mul", node, [x, (node, _hardsigmoid(ctx, node, x))])


def _hardsigmoid(ctx: FunctionContext, node: ast.Call, x: Side) -> T.Var:
    sixth = tensor_op(ctx, "div", node, [x, _number(node, 6.0)])
    line = tensor_op(ctx, "add", node, [(node, sixth), _number(node, 0.5)])
    return _between(ctx, node, (node, line), _number(node, 0.0), _number(node, 1.0))
