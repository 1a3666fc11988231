"""Sizes that are known when a model is compiled: `x.shape[0]`, `2 * n + 1`, numbers written out."""

from __future__ import annotations

import ast
from typing import NoReturn

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import INT, TensorType
from .context import FunctionContext
from .scope import Env, Size


def literal(ctx: FunctionContext, node: ast.expr) -> int | None:
    """The value of an int written out or named by the module, else None."""
    match node:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
            return -value
        case ast.Name() | ast.Attribute():
            found = ctx.static(node, Env())
            return found if isinstance(found, int) and not isinstance(found, bool) else None
    return None


def dimension(ctx: FunctionContext, node: ast.expr, env: Env) -> Dim | None:
    """A size that is known when the model is compiled: a number, `x.shape[i]`, and sums and
    multiples of these; None if `node` is none."""
    number = literal(ctx, node)
    if number is not None:
        return Dim.of(number)
    match node:
        case ast.Name(name):
            match env.names.get(name):
                case Size(dim):
                    return dim
                case T.Const(int() as value) as const if const.type == INT:
                    return Dim.of(value)
            return None
        case ast.Subscript(ast.Attribute(value, "shape"), index):
            axis, x = literal(ctx, index), ctx.expression(value, env)
            if axis is None or not isinstance(x.type, TensorType):
                return None
            if not -len(x.type.dims) <= axis < len(x.type.dims):
                axes = f"its axes are 0 to {len(x.type.dims) - 1}" if x.type.dims else "a number"
                ctx.fail("AC010", node, f"{x.type} has no axis {axis}", axes)
            return x.type.dims[axis]
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            a, b = dimension(ctx, left, env), dimension(ctx, right, env)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, ast.Add) else a - b
        case ast.BinOp(left, ast.Mult(), right):
            a, b = dimension(ctx, left, env), dimension(ctx, right, env)
            if a is None or b is None:
                return None
            if a.known is not None:
                return b.scale(a.known)
            return None if b.known is None else a.scale(b.known)
        case ast.BinOp(left, ast.FloorDiv(), right):
            a, by = dimension(ctx, left, env), literal(ctx, right)
            return None if a is None or by is None else a.divide(by)
    return None


def dimensions(ctx: FunctionContext, nodes: list[ast.expr], env: Env) -> tuple[Dim, ...]:
    """The sizes that `nodes` stand for; an error for one that is not known."""
    found: list[Dim] = []
    for node in nodes:
        dim = dimension(ctx, node, env)
        if dim is None:
            ctx.fail(
                "AC002",
                node,
                "a dimension is known when the model is compiled",
                "a number, or the size of a weight: `p.w.shape[0]`",
            )
        found.append(dim)
    return tuple(found)


def named_size(ctx: FunctionContext, node: ast.expr, env: Env) -> Size | None:
    """What `n` stands for after `n = x.shape[0] + 1`, if `node` is such a size."""
    reads = [n for n in ast.walk(node) if isinstance(n, (ast.Attribute, ast.Name))]
    if not any(
        n.attr == "shape" if isinstance(n, ast.Attribute) else isinstance(env.names.get(n.id), Size)
        for n in reads
    ):
        return None
    dim = dimension(ctx, node, env)
    return None if dim is None or dim.known is not None else Size(dim)


def shape_item(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Const:
    """`x.shape[i]` as an int: a number only if the hint has one."""
    dim = dimension(ctx, node, env)
    if dim is None:
        ctx.fail("AC002", node, f"{ast.unparse(node)} is no size", "`x.shape[0]` of a tensor")
    if dim.known is None:
        refuse_size(ctx, node, dim)
    return T.Const(dim.known, INT)


def refuse_size(ctx: FunctionContext, node: ast.AST, dim: Dim) -> NoReturn:
    """A size that has no number yet stands where a value is computed with."""
    ctx.fail(
        "AC002",
        node,
        f"{ast.unparse(node)} is {dim}, a size that only operations can use: `ops.zeros`, "
        f"`ops.reshape`, `ops.one_hot` and slices",
        "an int field of the instance",
    )
