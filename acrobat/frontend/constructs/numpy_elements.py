"""Functions of numpy of single elements that are composed of others: `np.square(x)`, `np.sign(x)`,
`np.isnan(x)`, `np.logical_and(a, b)`; and `np.all(mask)`, `np.allclose(a, b)`."""

from __future__ import annotations

import ast
import math

import numpy as np

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..scope import Env
from ..templates import template
from .numpy_rewritings import Rewriting, arguments, is_number, once, rank, rewriting


def _unary(function: object, of_tensors: str, of_floats: str = "") -> None:
    """Registers a function of one argument, which is `x` in the templates; without the second
    template, it takes no numbers."""

    @rewriting(function)
    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        if len(node.args) != 1 or node.keywords or is_mask(value):
            return None
        if rank(value) is not None:
            return template(of_tensors, x=x)
        return template(of_floats, x=x) if of_floats and value.type == FLOAT else None


_unary(np.square, "x * x", "x * x")
_unary(np.fabs, "ops.abs(x)", "abs(x)")
_unary(np.reciprocal, "1.0 / x")
_unary(np.exp2, "2.0 ** x")
_unary(np.log2, f"ops.log(x) * {1 / math.log(2)!r}")
_unary(np.log10, f"ops.log(x) * {1 / math.log(10)!r}")
_unary(np.sinh, "0.5 * (ops.expm1(x) - ops.expm1(-x))")
_unary(np.cosh, "0.5 * (ops.exp(x) + ops.exp(-x))")
# No number is greater or less than NaN, and the sign of 0 is 0.
_unary(
    np.sign,
    "ops.where(x > 0, 1.0, ops.where(x < 0, -1.0, x))",
    "1.0 if x > 0 else (-1.0 if x < 0 else x)",
)
_unary(np.isnan, "x != x", "math.isnan(x)")
_unary(np.isinf, "ops.abs(x) == math.inf", "math.isinf(x)")
_unary(np.isfinite, "ops.abs(x) < math.inf", "math.isfinite(x)")


def _binary(function: object, of_tensors: str, of_floats: str = "") -> None:
    """As `_unary`, of `x` and `y`, of which one may be a number beside a tensor."""

    @rewriting(function)
    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        if len(node.args) != 2 or node.keywords:
            return None
        other = ctx.peek(node.args[1], env)
        both = (value, other)
        fit = [is_number(v) or (rank(v) is not None and not is_mask(v)) for v in both]
        if not all(fit):
            return None
        if any(rank(v) is not None for v in both):
            return template(of_tensors, x=x, y=once(ctx, node.args[1], env))
        plain = of_floats and [v.type for v in both] == [FLOAT, FLOAT]
        return template(of_floats, x=x, y=once(ctx, node.args[1], env)) if plain else None


# Of equal operands, also where both are infinite, and their difference is NaN.
_LOG_2 = math.log(2)
_binary(
    np.logaddexp,
    f"ops.where(x == y, x + {_LOG_2}, ops.maximum(x, y) + ops.log1p(ops.exp(-ops.abs(x - y))))",
    f"x + {_LOG_2} if x == y else max(x, y) + math.log1p(math.exp(-abs(x - y)))",
)


_binary(np.greater, "x > y", "x > y")
_binary(np.greater_equal, "x >= y", "x >= y")
_binary(np.less, "x < y", "x < y")
_binary(np.less_equal, "x <= y", "x <= y")
_binary(np.equal, "x == y", "x == y")
_binary(np.not_equal, "x != y", "x != y")


def _logic(function: object, text: str, operands: int) -> None:
    @rewriting(function)
    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        if len(node.args) != operands or node.keywords:
            return None
        values = [value, *(ctx.peek(a, env) for a in node.args[1:])]
        if not any(map(is_mask, values)) or not all(is_mask(v) or v.type == BOOL for v in values):
            return None
        return template(text, x=x, y=node.args[-1])


_logic(np.logical_and, "x & y", 2)
_logic(np.logical_or, "x | y", 2)
_logic(np.logical_xor, "x ^ y", 2)
_logic(np.logical_not, "~x", 1)


def _quantifier(name: str) -> Rewriting:
    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        if len(node.args) != 1 or node.keywords:
            return None
        if is_mask(value):
            return template(f"x.{name}()", x=x)
        if rank(value) is not None:
            return template(f"(x != 0).{name}()", x=x)
        truths = isinstance(value.type, ListType) and value.type.item in (BOOL, INT, FLOAT)
        return template(f"{name}(x)", x=x) if truths else None

    return rewrite


rewriting(np.any)(_quantifier("any"))
rewriting(np.all)(_quantifier("all"))


@rewriting(np.allclose)
def _allclose(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "y", "rtol", "atol")
    if given is None or "y" not in given:
        return None
    if rank(value) is None and rank(ctx.peek(given["y"], env)) is None:
        return None
    rtol = given.get("rtol", ast.Constant(1e-5))
    atol = given.get("atol", ast.Constant(1e-8))
    near = "bool(((x == y) | (ops.abs(x - y) <= atol + rtol * ops.abs(y))).all())"
    other = ctx.peek(given["y"], env)
    if rank(other) is None:
        near = near.replace("ops.abs(y)", "abs(y)")
    return template(near, x=x, y=once(ctx, given["y"], env), rtol=rtol, atol=atol)


@rewriting(np.array_equal)
def _array_equal(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """Whether all elements are equal; of tensors of one shape, which `==` does not broadcast."""
    if len(node.args) != 2 or node.keywords or not isinstance(value.type, TensorType):
        return None
    other = ctx.peek(node.args[1], env).type
    same = isinstance(other, TensorType) and other.dims == value.type.dims
    return template("bool((x == y).all())", x=x, y=node.args[1]) if same else None
