"""Functions of numpy that are no ufuncs: `np.argmax(x)`, `np.stack(xs)`, `np.linalg.norm(x)`.

Each is rewritten as what the language has for it: a method of a tensor, an operation, or, for a
list of numbers, one of Python's builtins. A list of tensors is stacked first, as numpy does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import FLOAT, INT, ListType, TensorType, TupleType
from ...lang import ops
from ..context import FunctionContext
from ..decisions import is_mask
from ..frozen_lists import as_int_array
from ..scope import Env
from ..templates import template
from ..written import call, known, placed
from . import (  # noqa: F401  (each registers its functions)
    numpy_arrangements,
    numpy_elements,
    numpy_joining,
    numpy_ordering,
    numpy_shapes,
    numpy_statistics,
)
from .arguments import temporary
from .numpy_einsum import einsum
from .numpy_makers import made_array
from .numpy_rewritings import (
    REWRITINGS,
    Rewriting,
    are_numbers,
    are_tensors,
    arguments,
    as_method,
    is_number,
    operation,
    rank,
)


def numpy_function(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> T.Atom | None:
    """A call of such a function; None for any other, or if the language has no counterpart."""
    of_ufunc = getattr(callee, "__self__", None)
    if isinstance(of_ufunc, np.ufunc) and callee.__name__ == "reduce":
        return _reduced(ctx, node, of_ufunc, env)
    before = set(env.names)
    written = einsum(ctx, node, env) if callee is np.einsum else made_array(ctx, node, callee, env)
    rewriting = REWRITINGS.get(id(callee))
    if rewriting is not None and node.args and not isinstance(node.args[0], ast.Starred):
        first, value = _first(ctx, node.args[0], env)
        written = rewriting(ctx, node, first, value, env)
    result = None if written is None else ctx.expression(placed(written, node), env)
    if callee is np.argsort and result is not None:
        result = as_int_array(result)
    for name in set(env.names) - before - ctx.locals:
        del env.names[name]
    return result


# `np.maximum.reduce(xs)` is `np.max(xs, axis=0)`.
_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.maximum: np.max,
    np.minimum: np.min,
}


def _reduced(ctx: FunctionContext, node: ast.Call, of: np.ufunc, env: Env) -> T.Atom | None:
    """`np.maximum.reduce(xs, axis=0)`."""
    given = arguments(node, "axis")
    if of not in _REDUCTIONS or not node.args or given is None:
        return None
    made = call(_REDUCTIONS[of], node.args[0], axis=given.get("axis", ast.Constant(0)))
    return ctx.expression(placed(made, node), env)


def _first(ctx: FunctionContext, source: ast.expr, env: Env) -> tuple[ast.expr, T.Atom]:
    """The first argument as an expression that computes nothing again, and its value. A list that
    is written out remains one, whose length is known."""
    if not isinstance(source, (ast.List, ast.Tuple)) or any(
        isinstance(e, ast.Starred) for e in source.elts
    ):
        whole = ctx.peek(source, env)
        if type(whole.type) is not TupleType or not isinstance(whole, T.Var):
            return temporary(env, ast.unparse(source), whole, source), whole
        parts: list[ast.expr] = [
            temporary(env, f"{ast.unparse(source)}[{i}]", part, source)
            for i, t in enumerate(whole.type.items)
            for part in (ctx.let(T.GetItem(whole, i), t, source, "part"),)
        ]
        return _first(ctx, ast.copy_location(ast.List(parts, ast.Load()), source), env)
    lists = [isinstance(e, (ast.List, ast.Tuple)) for e in source.elts]
    values = [
        None if is_list else ctx.expression(e, env)
        for e, is_list in zip(source.elts, lists, strict=True)
    ]
    tensors = [v for v in values if v is not None and isinstance(v.type, TensorType)]
    items: list[ast.expr] = []
    numbers = all(rank(t) == 0 for t in tensors)
    for e, value in zip(source.elts, values, strict=True):
        made = _beside_tensors(ctx, e, value, numbers, env) if tensors else value
        items.append(temporary(env, ast.unparse(e), made or ctx.expression(e, env), e))
    first = ast.copy_location(ast.List(items, ast.Load()), source)
    if not tensors:
        return first, ctx.peek(first, env)
    return first, T.Var("items", ListType(tensors[0].type))  # which stands for its type alone


def _beside_tensors(
    ctx: FunctionContext, node: ast.expr, value: T.Atom | None, numbers: bool, env: Env
) -> T.Atom | None:
    """A list of numbers among tensors, as a vector; with `numbers`, a number as a tensor."""
    if value is None or are_numbers(value):
        return ctx.expression(placed(call(np.array, node), node), env)
    if numbers and is_number(value):
        return ctx.expression(placed(call(np.float32, node), node), env)
    return value


def _reduction(name: str, of_numbers: Callable[[ast.expr], ast.expr]) -> Rewriting:
    """`np.sum(x, axis)` and the like: the method of that name."""

    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        if isinstance(value.type, TensorType):
            return as_method(node, x, name)
        if are_tensors(value):
            return as_method(node, operation("stack", x), name)
        plain = are_numbers(value) and len(node.args) == 1 and not node.keywords
        return of_numbers(x) if plain else None

    return rewrite


def _mean(x: ast.expr) -> ast.expr:
    total = ast.BinOp(call(sum, x), ast.Div(), call(len, x))
    return ast.IfExp(call(len, x), total, ast.Constant(float("nan")))


def _norm(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "ord", "axis", "keepdims")
    if given is None or not isinstance(value.type, TensorType):
        return None
    degree = ast.unparse(given.get("ord", ast.Constant(None)))
    vectors = len(value.type.dims) == 1 or "axis" in given
    infinite = "ord" in given and ctx.static(given["ord"], env) is np.inf
    if degree == "1" and vectors:
        text = "ops.abs(x).sum(axis=a, keepdims=k)"
    elif infinite and vectors:
        text = "ops.abs(x).max(axis=a, keepdims=k)"
    elif degree == "None" or (degree == "2" and vectors):
        text = "ops.sqrt((x * x).sum(axis=a, keepdims=k))"
    else:
        return None
    axis = given.get("axis", ast.Constant(None))
    return template(text, x=x, a=axis, k=given.get("keepdims", ast.Constant(False)))


def _clip(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if isinstance(value.type, TensorType):
        return clipped(node, x)
    if value.type not in (INT, FLOAT) or len(node.args) != 3 or node.keywords:
        return None
    return call(min, call(max, x, node.args[1]), node.args[2])


def clipped(node: ast.Call, x: ast.expr) -> ast.expr | None:
    """`np.clip(x, low, high)` or `x.clip(min=low)`, of which one bound may be missing or None."""
    named = {"a_min": "low", "a_max": "high", "min": "low", "max": "high"}
    words = [ast.keyword(named.get(k.arg or "", k.arg), k.value) for k in node.keywords]
    given = arguments(ast.Call(node.func, node.args, words), "low", "high")
    if given is None:
        return None
    bounds = {n: v for n, v in given.items() if ast.unparse(v) != "None"}
    if len(bounds) == 2:
        return operation("clip", x, bounds["low"], bounds["high"])
    for name, text in (("low", "ops.maximum(x, y)"), ("high", "ops.minimum(x, y)")):
        if name in bounds:
            return template(text, x=x, y=bounds[name])
    return None


def _dot(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """`np.dot(a, b)`; one of the two may be a list of numbers."""
    if len(node.args) != 2 or node.keywords:
        return None
    other = ctx.peek(node.args[1], env)
    both = (value, other)
    if not any(rank(v) for v in both) or not all(rank(v) or are_numbers(v) for v in both):
        return None
    left, right = (
        n if rank(v) else call(np.array, n) for n, v in zip((x, node.args[1]), both, strict=True)
    )
    return ast.BinOp(left, ast.MatMult(), right)


def _inner(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """`np.inner(a, b)`, `np.vdot(a, b)` of vectors."""
    if len(node.args) != 2 or node.keywords:
        return None
    vectors = rank(value) == 1 == rank(ctx.peek(node.args[1], env))
    return ast.BinOp(x, ast.MatMult(), node.args[1]) if vectors else None


def _same(name: str) -> Rewriting:
    """The operation of another name, with the same arguments."""

    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        values = [value, *(ctx.peek(a, env) for a in node.args[1:])]
        if not any(isinstance(v.type, TensorType) for v in values):
            return None
        return ast.Call(known(vars(ops)[name]), [x, *node.args[1:]], node.keywords)

    return rewrite


def _like(name: str) -> Rewriting:
    """`np.ones_like(x)`, which of a mask is a mask."""
    same = _same(name)

    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        made = same(ctx, node, x, value, env)
        truths = made is not None and is_mask(value)
        return template("y > 0.5", y=made) if truths and made else made

    return rewrite


REWRITINGS |= {
    id(np.sum): _reduction("sum", lambda x: call(sum, x)),
    id(np.mean): _reduction("mean", _mean),
    id(np.max): _reduction("max", lambda x: call(max, x)),
    id(np.amax): _reduction("max", lambda x: call(max, x)),
    id(np.min): _reduction("min", lambda x: call(min, x)),
    id(np.amin): _reduction("min", lambda x: call(min, x)),
    id(np.linalg.norm): _norm,
    id(np.clip): _clip,
    id(np.dot): _dot,
    id(np.where): _same("where"),
    id(np.outer): _same("outer"),
    id(np.zeros_like): _like("zeros_like"),
    id(np.ones_like): _like("ones_like"),
    id(np.empty_like): _like("zeros_like"),
    id(np.cumsum): _same("cumsum"),
    id(np.inner): _inner,
    id(np.vdot): _inner,
    id(np.reshape): _same("reshape"),
}
