"""Parts of tensors: `x[i]`, `x[a:b]`, `x[i, j]`, `x[:, j]`, `x[None]`, and windows `x[i:i + 2]`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import BOOL, INT, ListType, TensorType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..emit import ZERO, Attrs, int_op, tensor_op
from ..presence import not_none
from ..registry import subscript
from ..rows import as_rows, map_places
from ..scope import Env
from ..sizes import affine, dimension, size_as_number
from .bounds import clamped, slice_bound
from .stack_shapes import with_new_axes
from .tensor_indices import by_rewriting, index_parts

_OUTSIDE = T.Const(2**62, INT)  # a row that no tensor has
_WAYS = "`x[i]`, `x[a:b]`, `x[i, j]`, `x[:, j]`, `x[:, a:b]`, `x[None]`"


@subscript(TensorType)
def tensor_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`x[i]`, `x[a:b]`, `x[i, j]`, `x[:, a:b]`, `x[None]`."""
    assert isinstance(obj.type, TensorType)
    index = index_parts(ctx, node, obj.type, env)
    rewritten = by_rewriting(ctx, node, obj, index, env)
    if rewritten is not None:
        return rewritten
    deeper = with_new_axes(ctx, node, obj, index)
    if deeper is not None:
        return deeper
    new = [i for i, p in enumerate(index) if isinstance(p, ast.Constant) and p.value is None]
    if new:
        return _longer(ctx, node, obj, index, new[0])
    if not obj.type.dims:
        ctx.fail("AC027", node, f"a {obj.type} has no items", "`ops.item(x)` for its number")
    if len(index) > len(obj.type.dims):
        axes = f"{len(obj.type.dims)} axes" if len(obj.type.dims) > 1 else "one axis"
        ctx.fail("AC002", node, f"{len(index)} indices for {obj.type}", f"it has {axes}")
    axis = 0  # the indices of earlier axes have been applied
    for part in index:
        if isinstance(part, ast.Slice):
            obj = _slice(ctx, node, obj, part, axis, env)
            axis += 1
        else:
            obj = _row(ctx, node, obj, part, axis, env)
    return obj


def _longer(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: list[ast.expr], at: int
) -> T.Var:
    """`x[None]`, `x[None, :]`, `x[:, None]` of a vector, `x[None]` of a tensor of rank 0."""
    assert isinstance(obj.type, TensorType)
    others = [i for k, i in enumerate(index) if k != at]
    whole = all(isinstance(i, ast.Slice) and ast.unparse(i) == ":" for i in others)
    if not whole or len(obj.type.dims) > 1 or len(others) > len(obj.type.dims):
        ctx.fail(
            "AC002",
            node,
            f"a new axis of {obj.type} here",
            "`x[None]` or `x[:, None]` of a vector; `ops.reshape` for the others",
        )
    dims = (*obj.type.dims[:at], Dim.of(1), *obj.type.dims[at:])
    return _reshaped(ctx, node, obj, dims)


def _reshaped(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, dims: tuple[Dim, ...]
) -> T.Var:
    shape: Attrs = (("shape", dims),)
    return tensor_op(ctx, "reshape", node, [(node.value, obj)], shape, _mask(obj))


def _mask(obj: T.Atom) -> bool:
    return isinstance(obj.type, TensorType) and obj.type.mask


def _row(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, part: ast.expr, axis: int, env: Env
) -> T.Var:
    """Index `obj` by `part` along `axis`, which this removes."""
    assert isinstance(obj.type, TensorType)
    row = not_none(ctx, part, ctx.expression(part, env), env)
    if row.type != INT:
        ctx.fail(
            "AC017",
            part,
            f"a row of {ast.unparse(node.value)} is chosen by an int, this is {row.type}",
            "an int field of the instance",
        )
    if axis == 0:
        return tensor_op(ctx, "lookup", node, [(node.value, obj), (part, row)], mask=_mask(obj))
    if axis > 1 or len(obj.type.dims) != 2:
        ctx.fail("AC002", node, f"this part of {obj.type} is not part of the language", _WAYS)
    if isinstance(row, T.Const):
        start = Dim.of(int(row.value))
        start = obj.type.dims[1] + start if row.value < 0 else start
        attrs: Attrs = (("axis", 1), ("start", start), ("stop", start + Dim.of(1)))
        column = tensor_op(ctx, "slice", node, [(node.value, obj)], attrs, _mask(obj))
        return _reshaped(ctx, node, column, obj.type.dims[:1])
    turned = tensor_op(ctx, "transpose", node, [(node.value, obj)], mask=_mask(obj))
    return tensor_op(ctx, "lookup", node, [(node.value, turned), (part, row)], mask=_mask(obj))


def _slice(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: ast.Slice, axis: int, env: Env
) -> T.Atom:
    """Elements, rows or columns a to b."""
    assert isinstance(obj.type, TensorType)
    if index.lower is None and index.upper is None:
        return obj
    if len(obj.type.dims) not in (1, 2):
        ctx.fail("AC002", node, f"a slice of {obj.type}", "slice a vector or a matrix")
    total = obj.type.dims[axis]
    bounds: list[Dim] = []
    for part, default in ((index.lower, Dim.of(0)), (index.upper, total)):
        if part is None:
            bounds.append(default)
            continue
        number = dimension(ctx, part, env)
        if number is None:
            return _window(ctx, node, obj, index, axis, part, env)
        known = number.known
        bounds.append(total + number if known is not None and known < 0 else number)
    attrs: Attrs = (("start", bounds[0]), ("stop", bounds[1]))
    if len(obj.type.dims) > 1:
        attrs = (("axis", axis), *attrs)
    return tensor_op(ctx, "slice", node, [(node.value, obj)], attrs, _mask(obj))


def _window(
    ctx: FunctionContext,
    node: ast.Subscript,
    obj: T.Atom,
    index: ast.Slice,
    axis: int,
    part: ast.expr,
    env: Env,
) -> T.Var:
    """`x[i:i + 2]`, whose size is known but whose start only the instance knows: its rows one by
    one. The instance is at fault if they do not lie within `x`."""
    size = None
    if index.lower is not None and index.upper is not None:
        low, high = affine(ctx, index.lower, env), affine(ctx, index.upper, env)
        size = high.minus(low)
    count = None if size is None else size.bind(ctx.builder.sizes).known
    if count is None and isinstance(node.slice, ast.Slice):
        return _rows_between(ctx, node, obj, index, env)
    if size is None or count is None or index.lower is None:
        ctx.fail(
            "AC002",
            part,
            "the size of a slice is known when the model is compiled",
            "numbers, `x[i:i + 2]` for a part that begins anywhere, or rows: `x.T[i:j]`",
        )
    if not 1 <= count <= MAX_UNROLLED or axis > 0:
        ctx.fail(
            "AC002",
            node,
            f"a slice of {count} columns that begins anywhere"
            if axis > 0
            else f"a slice of {count} rows that begins anywhere",
            "rows of the transposed matrix" if axis > 0 else f"1 to {MAX_UNROLLED} rows at once",
        )
    start = not_none(ctx, index.lower, ctx.expression(index.lower, env), env)
    start = _not_negative(ctx, start, index.lower)
    assert isinstance(obj.type, TensorType)
    rows: list[tuple[ast.AST, T.Atom]] = []
    for i in range(count):
        at = int_op(ctx, "+", (start, T.Const(i, INT)), node, "i") if i else start
        row = tensor_op(ctx, "lookup", node, [(node.value, obj), (index, at)], mask=_mask(obj))
        if len(obj.type.dims) == 1:
            row = _reshaped(ctx, node, row, (Dim.of(1),))
        rows.append((node, row))
    joined = "concat" if len(obj.type.dims) == 1 else "stack"
    result = tensor_op(ctx, joined, node, rows, mask=_mask(obj))
    # The same number, but the size may be symbolic.
    return _reshaped(ctx, node, result, (size, *obj.type.dims[1:]))


def _rows_between(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: ast.Slice, env: Env
) -> T.Var:
    """`x[:n]`, `x[a:b]`: rows of which only the instance knows how many, with Python's bounds."""
    assert isinstance(obj.type, TensorType)
    total = size_as_number(ctx, node, obj.type.dims[0])
    bounds: list[T.Atom] = [ZERO, total]
    for i, part in enumerate((index.lower, index.upper)):
        if part is not None:
            bounds[i] = clamped(ctx, part, slice_bound(ctx, part, env, bounds[i]), total)
    start, stop = bounds
    rows = map_places(
        ctx,
        node,
        int_op(ctx, "-", (stop, start), node),
        lambda i: tensor_op(
            ctx,
            "lookup",
            node,
            [(node.value, obj), (index, int_op(ctx, "+", (start, i), node))],
            mask=_mask(obj),
        ),
    )
    assert isinstance(rows.type, ListType) and isinstance(rows.type.item, TensorType)
    return as_rows(rows, rows.type.item)


def _not_negative(ctx: FunctionContext, at: T.Atom, node: ast.AST) -> T.Atom:
    """`at`, or a row that does not exist if `at` is negative: it does not count from the end."""
    if at.type != INT:
        ctx.fail("AC017", node, f"a bound of a slice is an int, this is {at.type}", "an int")
    below = ctx.let(T.Scalar("<", (at, ZERO)), BOOL, node, "b")
    out = T.Var("i", INT)
    none, some = T.Region((), T.Yield((_OUTSIDE,))), T.Region((), T.Yield((at,)))
    ctx.stmts.append(T.If((out,), below, none, some, ctx.span(node)))
    return out
