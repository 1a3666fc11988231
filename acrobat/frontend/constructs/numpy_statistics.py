"""Statistics of numpy: `np.var(x)`, `np.std(x, axis=0)`, `np.prod(x)`, `np.average(xs, axis=0)`."""

from __future__ import annotations

import ast

import numpy as np

from ...ir import typed as T
from ...ir.types import INT, ListType, TensorType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..decisions import is_mask
from ..scope import Env
from ..templates import template
from ..written import call
from .arguments import temporary
from .numpy_rewritings import (
    are_numbers,
    are_tensors,
    arguments,
    as_method,
    once,
    operation,
    rank,
    rewriting,
)


def _tensor(ctx: FunctionContext, x: ast.expr, value: T.Atom, env: Env) -> ast.expr | None:
    """A tensor, or a list of tensors as one; None for anything else."""
    if are_tensors(value):
        return temporary(env, ast.unparse(x), ctx.expression(operation("stack", x), env), x)
    return None if rank(value) is None else x


def _variance(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """The mean of the squares of what is left without the mean."""
    given = arguments(node, "axis", "keepdims")
    if given is None:
        return None
    if are_numbers(value):
        if given:
            return None
        mean = ctx.expression(template("sum(x) / len(x) if x else math.nan", x=x), env)
        known = temporary(env, "the mean", mean, node)
        return template("sum([(a - m) * (a - m) for a in x]) / len(x) if x else m", x=x, m=known)
    tensor = _tensor(ctx, x, value, env)
    if tensor is None:
        return None
    x = tensor
    axis = given.get("axis", ast.Constant(None))
    keeps = given.get("keepdims", ast.Constant(False))
    rest = ctx.expression(template("x - x.mean(axis=a, keepdims=True)", x=x, a=axis), env)
    left = temporary(env, f"{ast.unparse(x)} without its mean", rest, node)
    return template("(d * d).mean(axis=a, keepdims=k)", d=left, a=axis, k=keeps)


rewriting(np.var)(_variance)


@rewriting(np.std)
def _deviation(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    variance = _variance(ctx, node, x, value, env)
    if variance is None:
        return None
    of_numbers = "math.sqrt(v)" if are_numbers(value) else "ops.sqrt(v)"
    return template(of_numbers, v=variance)


@rewriting(np.average)
def _average(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "axis", "weights")
    if given is None:
        return None
    tensor = _tensor(ctx, x, value, env)
    if tensor is None:
        return None
    x = tensor
    if "weights" not in given:
        return as_method(node, x, "mean")
    weights = once(ctx, call(np.array, given["weights"]), env)
    vector = rank(ctx.peek(weights, env)) == 1
    along = ast.unparse(given.get("axis", ast.Constant(None))) in ("0", "None")
    fits = along and (rank(value) == 1 or "axis" in given)
    return template("(w @ x) / w.sum()", w=weights, x=x) if vector and fits else None


@rewriting(np.median)
def _median(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """The middle of the numbers in order, or the mean of the two in the middle."""
    if len(node.args) > 1 or node.keywords or not (rank(value) == 1 or are_numbers(value)):
        return None
    each = "e * 1.0" if is_mask(value) else "e"
    ordered = temporary(
        env,
        "the items in order",
        ctx.expression(template(f"sorted([{each} for e in x])", x=x), env),
        x,
    )
    return template("(s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2", s=ordered)


@rewriting(np.ptp)
def _range(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    plain = rank(value) is not None and len(node.args) == 1 and not node.keywords
    return template("x.max() - x.min()", x=x) if plain else None


@rewriting(np.prod)
def _product(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """The product of numbers, or of the elements of a vector of a known size."""
    if len(node.args) > 1 or node.keywords:
        return None
    if are_numbers(value):
        assert isinstance(value.type, ListType)
        one = ast.Constant(1 if value.type.item == INT else 1.0)
        return template("functools.reduce(lambda a, b: a * b, x, n)", x=x, n=one)
    if not isinstance(value.type, TensorType) or len(value.type.dims) != 1:
        return None
    size = value.type.dims[0].bind(ctx.builder.sizes).known
    if size is None or not 1 <= size <= MAX_UNROLLED:
        return None
    product = template("x[0]", x=x)
    for i in range(1, size):
        product = template("a * x[i]", a=product, x=x, i=ast.Constant(i))
    return product


@rewriting(np.count_nonzero)
def _count(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    plain = rank(value) is not None and len(node.args) == 1 and not node.keywords
    return template("int((x != 0).sum())", x=x) if plain else None
