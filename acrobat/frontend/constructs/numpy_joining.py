"""Functions of numpy that join arrays: `np.stack(xs)`, `np.hstack([a, b])`, `np.append(x, y)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from ...ir import typed as T
from ...ir.types import BOOL, ListType, OptionalType, StackType, TensorType
from ..context import FunctionContext
from ..emit import items_one_by_one, known_items
from ..scope import Env
from ..sizes import constant
from ..stacks import matrices, stacked
from ..templates import template
from ..written import call
from .arguments import temporary
from .numpy_rewritings import (
    are_tensors,
    is_number,
    operation,
    rank,
    rewriting,
)


def _axis(ctx: FunctionContext, node: ast.Call, env: Env) -> int | None:
    """The axis that a function with one more parameter, its axis, was given; 0 by default."""
    given = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "axis")]
    if not given:
        return None if node.keywords else 0
    whole = len(node.args) + len(node.keywords) == 2
    return constant(ctx, given[0], env) if whole else None


def _items(ctx: FunctionContext, x: ast.expr, value: T.Atom, env: Env) -> Sequence[T.Atom] | None:
    """The items of a list that is written out, or whose length is known."""
    if isinstance(x, ast.List):
        return [ctx.peek(e, env) for e in x.elts]
    return known_items(ctx, value) or items_one_by_one(ctx, value, x)


def _there(x: ast.expr, value: T.Atom) -> T.Atom:
    """A list that is written out of what may be None, as one of what is there: each item is
    checked where it is used."""
    t = value.type
    if isinstance(x, ast.List) and isinstance(t, ListType) and isinstance(t.item, OptionalType):
        return T.Var("items", ListType(t.item.item))
    return value


def _parts(x: ast.expr, value: T.Atom) -> Sequence[ast.expr]:
    """The arguments of an operation on such a list."""
    return x.elts if isinstance(x, ast.List) and _there(x, value) is not value else [x]


@rewriting(np.stack)
def _stack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    axis, given = _axis(ctx, node, env), value
    value = _there(x, value)
    if axis is None or not are_tensors(value):
        return None
    assert isinstance(value.type, ListType)
    axes = rank(T.Var("item", value.type.item))
    if axes == 2 and -3 <= axis < 3:
        found = _items(ctx, x, value, env)
        if found is None or any(v.type != found[0].type for v in found):
            return None
        return temporary(env, ast.unparse(node), stacked(ctx, node, found, axis % 3), node)
    rows = operation("stack", *_parts(x, given))
    if axis == 0 or axes is None or axis == -1 - axes:
        return rows
    return template("x.T", x=rows) if axes == 1 and axis in (1, -1) else None


@rewriting(np.concatenate)
def _concatenate(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    axis = _axis(ctx, node, env)
    if axis is not None and isinstance(value.type, StackType) and value.type.axis == 0:
        parts = enumerate(matrices(ctx, node, value))
        named = [temporary(env, f"{ast.unparse(x)}[{i}]", m, node) for i, m in parts]
        return operation("concat", *named, axis=ast.Constant(axis))
    if axis is None or not are_tensors(_there(x, value)):
        return None
    return operation("concat", *_parts(x, value), axis=ast.Constant(axis))


@rewriting(np.hstack)
def _hstack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if len(node.args) != 1 or node.keywords or not are_tensors(value):
        return None
    if not isinstance(x, ast.List):
        return operation("concat", x)
    parts: list[ast.expr] = []
    for item in x.elts:
        one = ctx.peek(item, env)
        if one.type == BOOL:
            parts.append(call(np.array, ast.List([item], ast.Load())))
            continue
        single = rank(one) == 0 or is_number(one)
        parts.append(operation("stack", _as_array(item, one)) if single else item)
    return operation("concat", *parts)


def _as_array(node: ast.expr, value: T.Atom) -> ast.expr:
    return call(np.float32, node) if is_number(value) else node


@rewriting(np.vstack)
def _vstack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if node.keywords or len(node.args) > 1 or not are_tensors(value):
        return None
    assert isinstance(value.type, ListType) and isinstance(value.type.item, TensorType)
    if len(value.type.item.dims) == 1:
        return operation("stack", x)
    return operation("concat", x, axis=ast.Constant(0))


@rewriting(np.column_stack)
def _column_stack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if len(node.args) != 1 or node.keywords or not are_tensors(value):
        return None
    assert isinstance(value.type, ListType)
    vectors = rank(T.Var("item", value.type.item)) == 1
    return template("x.T", x=operation("stack", x)) if vectors else None


@rewriting(np.append)
def _append(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """`np.append(x, y)` of a vector and a vector or a number."""
    if rank(value) != 1 or len(node.args) != 2 or node.keywords:
        return None
    return call(np.hstack, ast.List([x, node.args[1]], ast.Load()))
