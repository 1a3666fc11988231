"""Functions of numpy that find and order: `np.argmax(x)`, `np.take(x, ids)`, `np.sort(x)`."""

from __future__ import annotations

import ast

import numpy as np

from ...ir import typed as T
from ...ir.types import FLOAT, ListType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..scope import Env
from ..sizes import constant
from ..templates import template
from .numpy_rewritings import (
    are_numbers,
    arguments,
    as_method,
    operation,
    rank,
    rewriting,
)


def _as_vector(x: ast.expr, value: T.Atom) -> tuple[ast.expr, T.Atom]:
    """A list of tensors of rank 0 as a vector, and something of its type; or what is given."""
    items = value.type.item if isinstance(value.type, ListType) else None
    if not isinstance(items, TensorType) or items.dims:
        return x, value
    return operation("stack", x), T.Var("x", items)


@rewriting(np.argmax)
def _argmax(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    x, value = _as_vector(x, value)
    if not are_numbers(value) and not isinstance(value.type, TensorType):
        return None
    if len(node.args) == 1 and not node.keywords:
        return operation("argmax", x)
    return as_method(node, x, "argmax") if isinstance(value.type, TensorType) else None


@rewriting(np.argmin)
def _argmin(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if len(node.args) > 1 or node.keywords:
        return None
    x, value = _as_vector(x, value)
    if are_numbers(value):
        each = ast.comprehension(ast.Name("an item", ast.Store()), x, [], 0)
        item = ast.UnaryOp(ast.USub(), ast.Name("an item", ast.Load()))
        return operation("argmax", ast.ListComp(item, [each]))
    if isinstance(value.type, TensorType):
        return operation("argmax", ast.UnaryOp(ast.USub(), x))
    return None


@rewriting(np.take)
def _take(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "ids", "axis")
    if given is None or "ids" not in given or rank(value) not in (1, 2):
        return None
    axis = constant(ctx, given["axis"], env) if "axis" in given else None
    if axis not in (0, 1, -1) and rank(value) != 1:
        return None
    columns = rank(value) == 2 and axis != 0
    return template("x[:, i]" if columns else "x[i]", x=x, i=given["ids"])


@rewriting(np.sort)
def _sort(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """The elements of a vector in order."""
    if len(node.args) > 1 or node.keywords:
        return None
    floats = are_numbers(value) and isinstance(value.type, ListType) and value.type.item == FLOAT
    if rank(value) != 1 and not floats:
        return None
    if is_mask(value):
        return template("ops.stack(sorted([e * 1.0 for e in x])) > 0.5", x=x)
    return template("ops.stack(sorted([e for e in x]))", x=x)


@rewriting(np.argsort)
def _argsort(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """Places in order, as a list; those of equal elements in their order, which numpy's default
    leaves open."""
    words = {k.arg: ast.unparse(k.value) for k in node.keywords}
    if len(node.args) > 1 or words.keys() - {"kind", "stable"}:
        return None
    if rank(value) != 1 and not are_numbers(value):
        return None
    return template("sorted(range(len(x)), key=lambda i: x[i])", x=x)
