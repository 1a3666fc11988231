"""Matrices as stacks and back: `q.reshape(n, heads, d)`, `x.reshape(n, -1)`, `mask[None]`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import ANY, BOOL, INT, RowsType, StackType, TensorType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..emit import Attrs, tensor_op
from ..rows import mapped, refuse_sizes, size_along, transposed
from ..scope import Env
from ..sizes import dimension, literal
from ..stacks import matrices, refuse_stack, size_of_stack, stacked

# A size that is written as -1, one that only the instance knows (ANY), or any other.
_OPEN = Dim.of(-1)


def reshaped(
    ctx: FunctionContext, node: ast.AST, x: T.Atom, nodes: Sequence[ast.expr], env: Env
) -> T.Atom | None:
    """`x` in another shape if this is a stack, or a matrix of which only the instance knows how
    many rows it has, or becomes one; None for anything else."""
    t = x.type
    if not isinstance(t, TensorType) or any(isinstance(n, ast.Starred) for n in nodes):
        return None
    of_instance = isinstance(t, RowsType) and t.dims[0] == ANY and t.dims[1:] != (ANY,)
    if isinstance(t, StackType):
        return _merged(ctx, node, x, _sizes(ctx, node, nodes, env), nodes, env)
    if len(t.dims) == 2 and len(nodes) == 3 and (of_instance or not isinstance(t, RowsType)):
        return _split(ctx, node, x, _sizes(ctx, node, nodes, env), nodes, env)
    if of_instance and len(t.dims) == len(nodes) == 2:
        sizes = _sizes(ctx, node, nodes, env)
        if _fits(ctx, sizes[1], t.dims[1]) and sizes[0] in (ANY, _OPEN):
            _check_rows(ctx, node, x, sizes[0], nodes[0], env)
            return x
    return None


def _sizes(ctx: FunctionContext, node: ast.AST, nodes: Sequence[ast.expr], env: Env) -> list[Dim]:
    """The sizes in a call of `reshape`."""
    found: list[Dim] = []
    for n in nodes:
        size = _OPEN if literal(ctx, n) == -1 else dimension(ctx, n, env)
        if size is None:
            with ctx.region():
                known = ctx.peek(n, env.copy()).type
            if known != INT:
                ctx.fail("AC017", n, f"a size is an int, this is {known}", "an int")
        found.append(ANY if size is None else size)
    return found


def _number(ctx: FunctionContext, size: Dim) -> int | None:
    return size.bind(ctx.builder.sizes).known


def _fits(ctx: FunctionContext, size: Dim, wanted: Dim) -> bool:
    """Whether a size in a call is this one, which the weights tell."""
    return size in (_OPEN, wanted) or (
        size != ANY
        and _number(ctx, size) is not None
        and _number(ctx, size) == _number(ctx, wanted)
    )


def _check_rows(
    ctx: FunctionContext, node: ast.AST, x: T.Atom, size: Dim, source: ast.expr, env: Env
) -> None:
    """The instance is at fault if a size that it gives is not the number of rows of `x`."""
    if size != ANY:
        return
    given = ctx.expression(source, env)
    if isinstance(x.type, StackType):
        rows = size_of_stack(ctx, node, x, 0)
    else:
        rows = size_along(ctx, node, x, 0)
    if given != rows:
        wrong = ctx.let(T.Scalar("!=", (given, rows)), BOOL, node, "wrong")
        refuse_sizes(ctx, node, wrong, given, rows)


def _split(
    ctx: FunctionContext,
    node: ast.AST,
    x: T.Atom,
    sizes: list[Dim],
    nodes: Sequence[ast.expr],
    env: Env,
) -> T.Atom:
    """`x.reshape(n, heads, d)`: the columns of each head."""
    t = x.type
    assert isinstance(t, TensorType)
    rows, heads, width = sizes
    whole = ANY not in (rows, width) and _number(ctx, rows) == 1 and _fits(ctx, width, t.dims[1])
    if whole and sizes.count(_OPEN) < 2:  # a batch of one
        if t.dims[0] == ANY and heads in (ANY, _OPEN):
            _check_rows(ctx, node, x, heads, nodes[1], env)
            return stacked(ctx, node, [x], 0)
        if t.dims[0] != ANY and _fits(ctx, heads, t.dims[0]):
            return stacked(ctx, node, [x], 0)
    total = _number(ctx, t.dims[1])
    same = rows in (ANY, _OPEN) if t.dims[0] == ANY else _fits(ctx, rows, t.dims[0])
    known = [_number(ctx, s) for s in (heads, width)]
    if sizes.count(_OPEN) > 1 or total is None or ANY in (heads, width) or not same:
        _refuse(ctx, node, x)
    for i, size in enumerate((heads, width)):
        other = known[1 - i]
        if size == _OPEN and other:
            known[i] = total // other
    count, each = known
    if count is None or each is None or count < 1 or count * each != total:
        _refuse(ctx, node, x)
    if count > MAX_UNROLLED:
        text = f"{count} matrices side by side: there are {MAX_UNROLLED} at most"
        ctx.fail("AC010", node, text, "slices of the columns in a loop")
    _check_rows(ctx, node, x, rows, nodes[0], env)
    parts = [
        tensor_op(
            ctx,
            "slice",
            node,
            [(node, x)],
            (("axis", 1), ("start", Dim.of(i * each)), ("stop", Dim.of((i + 1) * each))),
            t.mask,
        )
        for i in range(count)
    ]
    return stacked(ctx, node, parts, 1)


def _merged(
    ctx: FunctionContext,
    node: ast.AST,
    x: T.Atom,
    sizes: list[Dim],
    nodes: Sequence[ast.expr],
    env: Env,
) -> T.Atom:
    """`x.reshape(n, heads * d)`: the matrices of a stack along the second axis side by side; those
    of one along the first axis below each other; a single matrix by itself."""
    t = x.type
    assert isinstance(t, StackType)
    parts = matrices(ctx, node, x)
    rows, *others = sizes
    if len(sizes) != 2 or sizes.count(_OPEN) > 1:
        _refuse(ctx, node, x)
    (columns,) = others
    each, last = t.matrix.dims
    if (t.axis == 0 and t.count > 1) or t.axis == 2 or ANY in (columns, last):
        _refuse(ctx, node, x)
    wide = last if t.axis == 0 else Dim.of((_number(ctx, last) or 0) * t.count)
    same = rows in (ANY, _OPEN) if each == ANY else _fits(ctx, rows, each)
    if not same or not _fits(ctx, columns, wide):
        _refuse(ctx, node, x)
    if t.axis == 0:
        _check_rows(ctx, node, parts[0], rows, nodes[0], env)
        return parts[0]
    _check_rows(ctx, node, x, rows, nodes[0], env)
    return tensor_op(ctx, "concat", node, [(node, p) for p in parts], mask=t.mask)


def _refuse(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> NoReturn:
    """The error for other shapes, in which numpy would mix the rows of different heads."""
    refuse_stack(
        ctx,
        "this reshape",
        node,
        [(node, x)],
        "`q.reshape(n, heads, d)` of a matrix of n rows and heads * d columns, and "
        "`x.transpose(1, 0, 2).reshape(n, heads * d)` back",
    )


def with_new_axes(
    ctx: FunctionContext, node: ast.AST, x: T.Atom, index: Sequence[ast.expr]
) -> T.Atom | None:
    """`x[None]`, `x[:, None, :]` of a matrix, `x[None, None, :]`, `x[:, None, None]` of a vector;
    None for any other index."""
    new = [isinstance(p, ast.Constant) and p.value is None for p in index]
    if not isinstance(x.type, TensorType) or len(x.type.dims) + sum(new) != 3:
        return None
    if not all(n or ast.unparse(p) == ":" for n, p in zip(new, index, strict=True)):
        return None
    new += [False] * (3 - len(new))
    if sum(new) == 1:
        return stacked(ctx, node, [x], new.index(True))
    if sum(new) != 2:
        return None
    if new[0]:  # a matrix of one row or one column, by itself
        axis = new.index(False) - 1
        return stacked(ctx, node, [matrix_of(ctx, node, x, axis)], 0)
    size = _number(ctx, x.type.dims[0])
    if isinstance(x.type, RowsType) or size is None or size > MAX_UNROLLED:
        return None
    one: Attrs = (("shape", (Dim.of(1), Dim.of(1))),)
    parts: list[T.Atom] = []
    for i in range(size):
        number = tensor_op(ctx, "lookup", node, [(node, x), (node, T.Const(i, INT))])
        parts.append(tensor_op(ctx, "reshape", node, [(node, number)], one, x.type.mask))
    return stacked(ctx, node, parts, 0)


def matrix_of(ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int) -> T.Atom:
    """A vector as a matrix whose axis `axis` it is, and whose other one has length 1."""
    t = x.type
    assert isinstance(t, TensorType)
    one = Dim.of(1)
    if not isinstance(t, RowsType):
        dims = (t.dims[0], one) if axis == 0 else (one, t.dims[0])
        return tensor_op(ctx, "reshape", node, [(node, x)], (("shape", dims),), t.mask)
    shape: Attrs = (("shape", (one,)),)
    column = mapped(
        ctx, node, [x], lambda item: tensor_op(ctx, "reshape", node, [(node, item)], shape, t.mask)
    )
    return column if axis == 0 else transposed(column)
