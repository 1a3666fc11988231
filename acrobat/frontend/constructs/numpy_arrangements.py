"""Functions of numpy that cut tensors and repeat their elements: `np.split(x, n)`, `np.roll(x, 1)`,
`np.tile(x, n)`, `np.repeat(x, n)`, `np.pad(x, 1)`."""

from __future__ import annotations

import ast

import numpy as np

from ...ir import typed as T
from ...ir.types import INT
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..decisions import is_mask
from ..scope import Env
from ..sizes import constant
from ..templates import template
from .numpy_makers import filled
from .numpy_rewritings import (
    arguments,
    axis_of,
    is_plain,
    known_sizes,
    once,
    operation,
    rank,
    rewriting,
)
from .numpy_shapes import numbers_of


@rewriting(np.roll)
def _roll(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    given = arguments(node, "shift", "axis")
    axes = rank(value)
    if given is None or "shift" not in given or axes not in (1, 2):
        return None
    axis = axis_of(ctx, given["axis"], axes, env) if "axis" in given else None
    if axis is None and ("axis" in given or axes > 1):
        return None  # of a matrix without an axis, numpy rolls its elements in a row
    shift = numbers_of(ctx, given["shift"], env)
    if not is_plain(value, 1, 2) or shift is None:
        return _rolled(ctx, x, given["shift"], env) if not axis else None
    size = known_sizes(ctx, value)[axis or 0]
    if not size or len(shift) != 1:
        return None
    cut = -shift[0] % size
    if not cut:
        return x
    part = ("x[c:]", "x[:c]") if not axis else ("x[:, c:]", "x[:, :c]")
    parts = [template(p, x=x, c=ast.Constant(cut)) for p in part]
    whole = operation("concat", *parts, axis=ast.Constant(axis or 0))
    return template("ops.reshape(y, x.shape)", y=whole, x=x)


def _rolled(ctx: FunctionContext, x: ast.expr, shift: ast.expr, env: Env) -> ast.expr | None:
    """A vector or rows, of any number, rolled by a number that the instance gives."""
    with ctx.region():
        if ctx.expression(shift, env.copy()).type != INT:
            return None
    x = once(ctx, x, env)
    start = once(ctx, template("(-k) % max(len(x), 1)", k=shift, x=x), env)
    twice = operation("concat", x, x, axis=ast.Constant(0))
    return template("y[s : s + len(x)]", y=twice, s=start, x=x)


@rewriting(np.split)
def _split(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """A list of equal parts, or a tuple of those between the given places."""
    given = arguments(node, "parts", "axis")
    axes = rank(value)
    if given is None or "parts" not in given or axes not in (1, 2) or axes is None:
        return None
    axis = axis_of(ctx, given.get("axis", ast.Constant(0)), axes, env)
    if axis is None or (axis == 0 and not is_plain(value, 1, 2)):
        return None
    if not isinstance(given["parts"], (ast.Tuple, ast.List)):
        count = constant(ctx, given["parts"], env)
        equal = once(ctx, operation("split", x, given["parts"], axis=ast.Constant(axis)), env)
        parts = [template("t[i]", t=equal, i=ast.Constant(i)) for i in range(count or 0)]
        return ast.List(parts, ast.Load())
    places = numbers_of(ctx, given["parts"], env)
    size = known_sizes(ctx, value)[axis]
    if places is None or size is None or [*places, size] != sorted({0, *places, size})[1:]:
        return None
    text = "x[:, a:b]" if axis else "x[a:b]"
    bounds = zip((0, *places), (*places, size), strict=True)
    parts = [template(text, x=x, a=ast.Constant(a), b=ast.Constant(b)) for a, b in bounds]
    return ast.Tuple(parts, ast.Load())


@rewriting(np.tile)
def _tile(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """`np.tile(x, n)` of a vector, `np.tile(x, (n, 1))`."""
    given = arguments(node, "reps")
    counts = None if given is None else numbers_of(ctx, given.get("reps"), env)
    if (
        counts is None
        or not is_plain(value, 1, 2)
        or not all(1 <= c <= MAX_UNROLLED for c in counts)
    ):
        return None
    if len(counts) == 1 and rank(value) == 1:
        return operation("concat", *[x] * counts[0])
    if len(counts) != 2 or counts[1] != 1:
        return None
    if rank(value) == 1:
        return operation("stack", *[x] * counts[0])
    return operation("concat", *[x] * counts[0], axis=ast.Constant(0))


@rewriting(np.repeat)
def _repeat(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """Each element of a vector, or the one row or column of a matrix, several times."""
    given = arguments(node, "repeats", "axis")
    counts = None if given is None else numbers_of(ctx, given.get("repeats"), env)
    if given is None or counts is None or len(counts) != 1 or not is_plain(value, 1, 2):
        return None
    sizes = known_sizes(ctx, value)
    axis = axis_of(ctx, given["axis"], len(sizes), env) if "axis" in given else None
    if not 1 <= counts[0] <= MAX_UNROLLED or ("axis" in given and axis is None):
        return None
    copies = [x] * counts[0]
    if len(sizes) == 1:
        return template("ops.reshape(y.T, -1)", y=operation("stack", *copies))
    if axis is None or sizes[axis] != 1:
        return None
    return operation("concat", *copies, axis=ast.Constant(axis))


@rewriting(np.broadcast_to)
def _broadcast_to(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if rank(value) is None or len(node.args) != 2 or node.keywords:
        return None
    return filled(ctx, node.args[1], x, env)


@rewriting(np.pad)
def _pad(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """Numbers around a vector, or rows and columns around a matrix; 0 by default."""
    given = arguments(node, "widths", "mode", "constant_values")
    if given is None or "widths" not in given or not is_plain(value, 1, 2):
        return None
    mode = given.get("mode", ast.Constant("constant"))
    widths = _widths(ctx, given["widths"], rank(value) or 0, env)
    if widths is None or not isinstance(mode, ast.Constant) or mode.value != "constant":
        return None
    fill = given.get("constant_values", ast.Constant(0.0))
    if not isinstance(fill, (ast.Constant, ast.UnaryOp)):
        return None
    sizes = known_sizes(ctx, value)
    if None in sizes:
        return None
    for axis, (before, after) in enumerate(widths):
        other = sizes[1 - axis] if len(sizes) == 2 else None
        parts: list[ast.expr] = []
        for width in (before, after):
            if not width:
                continue
            shape = [width] if other is None else [width, other] if axis == 0 else [other, width]
            dims = ast.Tuple([ast.Constant(n) for n in shape], ast.Load())
            text = "(ops.zeros(n) + c) != 0" if is_mask(value) else "ops.zeros(n) + c"
            parts.append(template(text, n=dims, c=fill))
        if parts:
            joined = [*parts[: 1 if before else 0], x, *parts[1 if before else 0 :]]
            x = operation("concat", *joined, axis=ast.Constant(axis))
        sizes[axis] = (sizes[axis] or 0) + before + after
    return x


def _widths(
    ctx: FunctionContext, node: ast.expr, axes: int, env: Env
) -> list[tuple[int, int]] | None:
    """How many numbers to add before and after, for each axis."""
    pairs = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
    nested = bool(pairs) and all(isinstance(p, (ast.Tuple, ast.List)) for p in pairs)
    found = [numbers_of(ctx, p, env) for p in (pairs if nested else [node])]
    if nested and len(found) not in (1, axes):
        return None
    widths: list[tuple[int, int]] = []
    for numbers in found if len(found) == axes else found * axes:
        if numbers is None or len(numbers) not in (1, 2) or min(numbers) < 0:
            return None
        widths.append((numbers[0], numbers[-1]))
    return widths
