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
from ...ir.types import FLOAT, INT, ListType, TensorType
from ...lang import ops
from ..context import FunctionContext
from ..scope import Env
from ..written import call, known, placed
from .arguments import temporary

# What a call becomes; None if the language has no counterpart.
Rewriting = Callable[[FunctionContext, ast.Call, ast.expr, T.Atom, Env], ast.expr | None]


def numpy_function(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> T.Atom | None:
    """A call of such a function; None for any other, or if the language has no counterpart."""
    rewriting = _REWRITINGS.get(id(callee))
    if rewriting is None or not node.args or isinstance(node.args[0], ast.Starred):
        return None
    before = set(env.names)
    first, value = _first(ctx, node.args[0], env)
    written = rewriting(ctx, node, first, value, env)
    result = None if written is None else ctx.expression(placed(written, node), env)
    for name in set(env.names) - before - ctx.locals:
        del env.names[name]
    return result


def _first(ctx: FunctionContext, source: ast.expr, env: Env) -> tuple[ast.expr, T.Atom]:
    """The first argument as an expression that computes nothing again, and its value. A list that
    is written out remains one, whose length is known."""
    if not isinstance(source, (ast.List, ast.Tuple)) or any(
        isinstance(e, ast.Starred) for e in source.elts
    ):
        value = ctx.peek(source, env)
        return temporary(env, ast.unparse(source), value, source), value
    items: list[ast.expr] = [
        temporary(env, ast.unparse(e), ctx.expression(e, env), e) for e in source.elts
    ]
    first = ast.copy_location(ast.List(items, ast.Load()), source)
    return first, ctx.peek(first, env)


def _numbers(value: T.Atom) -> bool:
    return isinstance(value.type, ListType) and value.type.item in (INT, FLOAT)


def _tensors(value: T.Atom) -> bool:
    return isinstance(value.type, ListType) and isinstance(value.type.item, TensorType)


def _operation(name: str, *args: ast.expr, **words: ast.expr) -> ast.Call:
    return call(vars(ops)[name], *args, **words)


def _method(node: ast.Call, x: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(x, name, ast.Load()), node.args[1:], node.keywords)


def _reduction(name: str, of_numbers: Callable[[ast.expr], ast.expr]) -> Rewriting:
    """`np.sum(x, axis)` and the like: the method of that name."""

    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        if isinstance(value.type, TensorType):
            return _method(node, x, name)
        if _tensors(value):
            return _method(node, _operation("stack", x), name)
        plain = _numbers(value) and len(node.args) == 1 and not node.keywords
        return of_numbers(x) if plain else None

    return rewrite


def _mean(x: ast.expr) -> ast.expr:
    total = ast.BinOp(call(sum, x), ast.Div(), call(len, x))
    return ast.IfExp(x, total, ast.Constant(float("nan")))


def _argmax(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if not _numbers(value) and not isinstance(value.type, TensorType):
        return None
    if len(node.args) == 1 and not node.keywords:
        return _operation("argmax", x)
    return _method(node, x, "argmax") if isinstance(value.type, TensorType) else None


def _argmin(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if len(node.args) > 1 or node.keywords:
        return None
    if _numbers(value):
        each = ast.comprehension(ast.Name("an item", ast.Store()), x, [], 0)
        item = ast.UnaryOp(ast.USub(), ast.Name("an item", ast.Load()))
        return _operation("argmax", ast.ListComp(item, [each]))
    if isinstance(value.type, TensorType):
        return _operation("argmax", ast.UnaryOp(ast.USub(), x))
    return None


def _axis(node: ast.Call) -> int | None:
    """The axis that a function with one more parameter, its axis, was given; 0 by default."""
    given = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "axis")]
    if not given:
        return None if node.keywords else 0
    axis = ast.unparse(given[0])
    whole = len(node.args) + len(node.keywords) == 2
    return int(axis) if whole and axis.removeprefix("-").isdigit() else None


def _stack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    return _operation("stack", x) if _axis(node) == 0 and _tensors(value) else None


def _concatenate(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    axis = _axis(node)
    if axis is None or not _tensors(value):
        return None
    return _operation("concat", x, axis=ast.Constant(axis))


def _hstack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    return _operation("concat", x) if len(node.args) == 1 and _tensors(value) else None


def _vstack(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if node.keywords or len(node.args) > 1 or not _tensors(value):
        return None
    assert isinstance(value.type, ListType) and isinstance(value.type.item, TensorType)
    if len(value.type.item.dims) == 1:
        return _operation("stack", x)
    return _operation("concat", x, axis=ast.Constant(0))


def _norm(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    words = {k.arg for k in node.keywords}
    if not isinstance(value.type, TensorType) or len(node.args) > 1 or words - {"axis", "keepdims"}:
        return None
    squares = ast.BinOp(x, ast.Mult(), x)
    return _operation(
        "sqrt", ast.Call(ast.Attribute(squares, "sum", ast.Load()), [], node.keywords)
    )


def _clip(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if isinstance(value.type, TensorType):
        return _method(node, x, "clip")
    if value.type not in (INT, FLOAT) or len(node.args) != 3 or node.keywords:
        return None
    return call(min, call(max, x, node.args[1]), node.args[2])


def _dot(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if not isinstance(value.type, TensorType) or len(node.args) != 2 or node.keywords:
        return None
    return ast.BinOp(x, ast.MatMult(), node.args[1])


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


_REWRITINGS: dict[int, Rewriting] = {
    id(np.sum): _reduction("sum", lambda x: call(sum, x)),
    id(np.mean): _reduction("mean", _mean),
    id(np.max): _reduction("max", lambda x: call(max, x)),
    id(np.amax): _reduction("max", lambda x: call(max, x)),
    id(np.min): _reduction("min", lambda x: call(min, x)),
    id(np.amin): _reduction("min", lambda x: call(min, x)),
    id(np.argmax): _argmax,
    id(np.argmin): _argmin,
    id(np.stack): _stack,
    id(np.concatenate): _concatenate,
    id(np.hstack): _hstack,
    id(np.vstack): _vstack,
    id(np.linalg.norm): _norm,
    id(np.clip): _clip,
    id(np.dot): _dot,
    id(np.where): _same("where"),
    id(np.outer): _same("outer"),
    id(np.zeros_like): _same("zeros_like"),
    id(np.ones_like): _same("ones_like"),
    id(np.cumsum): _same("cumsum"),
    id(np.transpose): _same("transpose"),
    id(np.reshape): _same("reshape"),
}
