"""`m[i]`, `m[a:b]`, `m.shape[0]`, `m.T`, `for row in m`, where only the instance knows the size."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, ListType, RowsType, StackType, TensorType
from ..context import FunctionContext
from ..emit import ZERO, list_op, tensor_op
from ..iteration_space import IterationSpace
from ..registry import FIELDS, METHODS, field, iterated, method, subscript
from ..rows import as_rows, axes, column_at, count, listed, transposed, wrong_shapes
from ..scope import Env
from ..written import placed
from . import numpy_methods as numpy_methods
from . import tensor_methods as tensor_methods
from .arguments import temporary
from .bounds import slice_bound
from .stack_shapes import matrix_of, with_new_axes
from .tensor_indices import by_rewriting, index_parts
from .tensor_parts import tensor_item


@subscript(RowsType)
def rows_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`m[i]`, `m[a:b]`, `m[i, j]`, `m[:, j]`, `m[:, a:b]`."""
    assert isinstance(obj.type, RowsType)
    index = index_parts(ctx, node, obj.type, env)
    if axes(obj) == "n?" and not any(ast.unparse(p) == "None" for p in index):
        return _of_columns(ctx, node, obj, index, env)
    rewritten = by_rewriting(ctx, node, obj, index, env)
    if rewritten is not None:
        return rewritten
    deeper = with_new_axes(ctx, node, obj, index)
    if deeper is not None:
        return deeper
    new = [i for i, p in enumerate(index) if isinstance(p, ast.Constant) and p.value is None]
    if new and axes(obj) == "?":
        return _with_axis(ctx, node, obj, index, new[0])
    first, *rest = index
    if axes(obj) not in ("?n", "?", "??") or len(rest) >= len(axes(obj)):
        wrong_shapes(ctx, "a part", node, [(node.value, obj)], "`m[i]`, `m[a:b]`, `m[:, a:b]`")
    if not isinstance(first, ast.Slice):
        value = tensor_item(ctx, _indexed(node, [first]), obj, env)
        return tensor_item(ctx, _indexed(node, rest), value, env) if rest else value
    obj = _rows(ctx, node, obj, first, env)
    if not rest:
        return obj
    if isinstance(rest[0], ast.Slice):
        return tensor_item(ctx, _indexed(node, [ast.Slice(), rest[0]]), obj, env)
    if axes(obj) != "??":
        return tensor_item(ctx, _indexed(node, rest), transposed(obj), env)
    column = ctx.expression(rest[0], env)
    if column.type != INT:
        found = f"a column is chosen by an int, this is {column.type}"
        ctx.fail("AC017", rest[0], found, "an int")
    return column_at(ctx, node, obj, column)


def _of_columns(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: list[ast.expr], env: Env
) -> T.Atom:
    """A part of a matrix that is the list of its columns: the same of its transpose."""
    first, second = (*index, ast.Slice())[:2]
    text = ast.unparse(node.value)
    turned = temporary(env, f"the columns of {text}", transposed(obj), node)
    item = ast.Subscript(turned, ast.Tuple([second, first], ast.Load()), ast.Load())
    found = ctx.expression(placed(item, node), env)
    if not isinstance(found.type, TensorType) or len(found.type.dims) < 2:
        return found
    part = temporary(env, f"a part of {text}", found, node)
    return ctx.expression(placed(ast.Attribute(part, "T", ast.Load()), node), env)


def _with_axis(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: list[ast.expr], at: int
) -> T.Atom:
    """`x[None]`, `x[None, :]`, `x[:, None]`."""
    others = [i for k, i in enumerate(index) if k != at]
    if [ast.unparse(i) for i in others] not in ([], [":"]):
        instead = "`x[None]` or `x[:, None]`"
        ctx.fail("AC002", node, f"a new axis of {obj.type} here", instead)
    made = matrix_of(ctx, node, obj, 1 - at)
    assert isinstance(obj, T.Var) and isinstance(made, T.Var)
    if at == 1 and obj.number in ctx.reductions:
        ctx.reductions[made.number] = ctx.reductions[obj.number]
    return made


def _indexed(node: ast.Subscript, index: list[ast.expr]) -> ast.Subscript:
    """`node` with another index."""
    slice_ = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
    return ast.copy_location(ast.Subscript(node.value, slice_, ast.Load()), node)


def _rows(
    ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, index: ast.Slice, env: Env
) -> T.Atom:
    """`m[a:b]`, whose bounds the instance may compute."""
    if index.lower is None and index.upper is None:
        return obj
    items = listed(obj)
    bounds: list[T.Atom] = [ZERO, count(ctx, node, obj)]
    for i, part in enumerate((index.lower, index.upper)):
        if part is not None:
            bounds[i] = slice_bound(ctx, part, env, bounds[i])
    assert isinstance(obj.type, RowsType)
    return as_rows(list_op(ctx, "slice", (items, *bounds), items.type, node), obj.type.item)


@iterated(RowsType)
def over_rows(ctx: FunctionContext, node: ast.expr, x: T.Atom) -> IterationSpace:
    """`for row in m`."""
    assert isinstance(x.type, RowsType)
    number = x.type.dims[0].bind(ctx.builder.sizes).known
    if axes(x) == "n?" and number is not None:
        return IterationSpace.count(
            T.Const(number, INT),
            lambda i: tensor_op(ctx, "lookup", node, [(node, x), (node, i)]),
        )
    if axes(x) not in ("?n", "?", "??"):
        wrong_shapes(ctx, "a loop", node, [(node, x)], "the rows of the matrix that it is made of")
    items = listed(x)
    assert isinstance(items.type, ListType)
    item = items.type.item
    return IterationSpace.count(
        count(ctx, node, x), lambda i: list_op(ctx, "get", (items, i), item, node)
    )


for (_receiver, _name), _method in list(METHODS.items()):
    if _receiver is TensorType:
        for _kind in (RowsType, StackType):
            method(_kind, _name, _method.arity)(_method.lower)
for (_receiver, _name), _field in list(FIELDS.items()):
    if _receiver is TensorType:
        for _kind in (RowsType, StackType):
            field(_kind, _name)(_field)
