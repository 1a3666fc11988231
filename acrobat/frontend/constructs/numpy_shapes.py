"""Functions of numpy that give a tensor another shape: `np.squeeze(x)`, `np.expand_dims(x, 0)`,
`np.swapaxes(x, 0, 1)`, `np.flip(x)`; and its sizes."""

from __future__ import annotations

import ast

import numpy as np

from ...ir import typed as T
from ...ir.types import StackType
from ..context import FunctionContext
from ..scope import Env
from ..sizes import constant
from ..stacks import permuted
from ..templates import template
from .arguments import temporary
from .numpy_rewritings import arguments, axis_of, is_plain, known_sizes, operation, rank, rewriting
from .reductions import is_none

_Numbers = tuple[int, ...]
_WITH_AXIS = ("x[None]", "x[:, None]", "x[:, :, None]")


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
    if given is None or axes not in (0, 1, 2):
        return None
    axis = axis_of(ctx, given.get("axis"), axes + 1, env)
    return None if axis is None else template(_WITH_AXIS[axis], x=x)


@rewriting(np.squeeze)
def _squeeze(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "axis")
    if isinstance(value.type, StackType) and given is not None and value.type.count == 1:
        along = value.type.axis
        same = axis_of(ctx, given.get("axis"), 3, env) == along < 2
        return template("x[:, 0]" if along else "x[0]", x=x) if same else None
    if given is None or rank(value) not in (0, 1, 2):
        return None
    sizes = known_sizes(ctx, value)
    one = "axis" in given and not is_none(given["axis"], env)
    axis = axis_of(ctx, given["axis"], len(sizes), env) if one else None
    if one and (axis is None or sizes[axis] != 1):
        return None
    if not is_plain(value, 0, 1, 2):
        return template("x[:, 0]" if axis else "x[0]", x=x) if one else None
    if None in sizes:
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
    """The differences of neighbours in a vector, or of neighbouring rows."""
    given = arguments(node, "n", "axis")
    axis = None if given is None or "n" in given else numbers_of(ctx, given.get("axis"), env)
    along = rank(value) == 1 and not given
    if not along and (axis != (0,) or rank(value) not in (1, 2)):
        return None
    return template("x[1:] - x[:-1]", x=x)


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
    if isinstance(value.type, StackType) and axes is not None:
        order = [a % 3 for a in axes if -3 <= a < 3]
        return _permuted(ctx, node, value, order, env) if sorted(order) == [0, 1, 2] else None
    turns = axes is None or tuple(a % 2 for a in axes) == (1, 0)
    if axes is not None and (rank(value) != 2 or sorted(a % 2 for a in axes) != [0, 1]):
        return None
    return template("x.T" if turns else "x", x=x)


def _permuted(
    ctx: FunctionContext, node: ast.Call, value: T.Atom, order: list[int], env: Env
) -> ast.expr:
    """A stack of matrices with its axes in another order."""
    return temporary(env, ast.unparse(node), permuted(ctx, node, value, order), node)


@rewriting(np.swapaxes, np.moveaxis)
def _swapaxes(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    rank_of = rank(value)
    if rank_of not in (2, 3) or rank_of is None or len(node.args) != 3 or node.keywords:
        return None
    axes = [axis_of(ctx, a, rank_of, env) for a in node.args[1:]]
    first, second = axes
    if first is None or second is None:
        return None
    if rank_of == 2:
        return template("x.T" if first != second else "x", x=x)
    order = [0, 1, 2]
    if ctx.static(node.func, env) is np.moveaxis:
        order.insert(second, order.pop(first))
    else:
        order[first], order[second] = second, first
    stack = isinstance(value.type, StackType)
    return _permuted(ctx, node, value, order, env) if stack else None


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
