"""Functions of numpy that give a tensor another shape: `np.squeeze(x)`, `np.expand_dims(x, 0)`,
`np.swapaxes(x, 0, 1)`, `np.flip(x)`; and its sizes."""

from __future__ import annotations

import ast

import numpy as np

from ...ir import typed as T
from ..context import FunctionContext
from ..scope import Env
from ..sizes import constant
from ..templates import template
from .numpy_rewritings import arguments, axis_of, is_plain, known_sizes, operation, rank, rewriting

_Numbers = tuple[int, ...]


def numbers_of(ctx: FunctionContext, node: ast.expr | None, env: Env) -> _Numbers | None:
    """The ints in a tuple or list that is written out, or the one int; None if one is not known."""
    if node is None:
        return None
    nodes = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    found = [constant(ctx, n, env) for n in nodes]
    known = tuple(n for n in found if n is not None)
    return known if len(known) == len(found) else None


@rewriting(np.expand_dims)
def _expand_dims(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given, axes = arguments(node, "axis"), rank(value)
    if given is None or axes not in (0, 1):
        return None
    axis = axis_of(ctx, given.get("axis"), axes + 1, env)
    return None if axis is None else template("x[:, None]" if axis else "x[None]", x=x)


@rewriting(np.squeeze)
def _squeeze(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "axis")
    if given is None or not is_plain(value, 0, 1, 2):
        return None
    sizes = known_sizes(ctx, value)
    axis = axis_of(ctx, given["axis"], len(sizes), env) if "axis" in given else None
    if None in sizes or ("axis" in given and (axis is None or sizes[axis] != 1)):
        return None
    gone = [i for i, n in enumerate(sizes) if n == 1 and axis in (None, i)]
    kept = [i for i in range(len(sizes)) if i not in gone]
    shape = [template("x.shape[i]", x=x, i=ast.Constant(i)) for i in kept]
    return operation("reshape", x, ast.Tuple(shape, ast.Load())) if gone else x


@rewriting(np.ravel)
def _ravel(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    whole = rank(value) is not None and len(node.args) == 1 and not node.keywords
    return template("x.ravel()", x=x) if whole else None


@rewriting(np.size, np.ndim)
def _size(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    whole = rank(value) is not None and len(node.args) == 1 and not node.keywords
    name = "size" if ctx.static(node.func, env) is np.size else "ndim"
    return ast.Attribute(x, name, ast.Load()) if whole else None


@rewriting(np.atleast_2d)
def _atleast_2d(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if rank(value) not in (1, 2) or len(node.args) > 1:
        return None
    return template("x[None]", x=x) if rank(value) == 1 else x


@rewriting(np.diff)
def _diff(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    plain = is_plain(value, 1) and len(node.args) == 1 and not node.keywords
    return template("x[1:] - x[:-1]", x=x) if plain else None


@rewriting(np.copy)
def _copy(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    whole = rank(value) is not None and len(node.args) == 1 and not node.keywords
    return x if whole else None


@rewriting(np.transpose)
def _transpose(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """The transpose, also with the axes written out."""
    given = arguments(node, "axes")
    axes = None if given is None else numbers_of(ctx, given.get("axes"), env)
    if given is None or rank(value) is None or (axes is None and given):
        return None
    turns = axes is None or tuple(a % 2 for a in axes) == (1, 0)
    if axes is not None and (rank(value) != 2 or sorted(a % 2 for a in axes) != [0, 1]):
        return None
    return template("x.T" if turns else "x", x=x)


@rewriting(np.swapaxes, np.moveaxis)
def _swapaxes(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if rank(value) != 2 or len(node.args) != 3 or node.keywords:
        return None
    axes = [axis_of(ctx, a, 2, env) for a in node.args[1:]]
    if None in axes:
        return None
    return template("x.T" if axes[0] != axes[1] else "x", x=x)


@rewriting(np.flip)
def _flip(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given, axes = arguments(node, "axis"), rank(value)
    if given is None or axes not in (1, 2):
        return None
    if "axis" not in given:
        return template("x[::-1]" if axes == 1 else "x[::-1][:, ::-1]", x=x)
    axis = axis_of(ctx, given["axis"], axes, env)
    return None if axis is None else template("x[:, ::-1]" if axis else "x[::-1]", x=x)
