"""Indices of tensors as numpy has them: `x[ids]` for a list of ints, `x[..., 0]`, `x[np.newaxis]`,
`x[::-1]`. Each is rewritten as rows that are stacked, or as an index that `tensor_parts` knows."""

from __future__ import annotations

import ast
from typing import NoReturn

import numpy as np

from ...ir import typed as T
from ...ir.types import ANY, INT, ListType, RowsType, TensorType
from ...lang import ops
from ...limits import MAX_OPERANDS
from ..context import FunctionContext
from ..rows import as_rows, listed
from ..scope import Env
from ..sizes import constant
from ..written import call, placed
from .arguments import temporary

_EVERYTHING = ":"
_ARRAYS = (np.array, np.asarray)


def index_parts(
    ctx: FunctionContext, node: ast.Subscript, t: TensorType, env: Env
) -> list[ast.expr]:
    """The index for each axis, with `...` written out, and `np.newaxis` as None."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    parts = [placed(ast.Constant(None), p) if _is_none(ctx, p, env) else p for p in parts]
    for at, part in enumerate(parts):
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            axes = sum(not _is_new(p) for p in parts) - 1
            every = [placed(ast.Slice(), part) for _ in range(len(t.dims) - axes)]
            return [*parts[:at], *every, *parts[at + 1 :]]
    return parts


def _is_none(ctx: FunctionContext, part: ast.expr, env: Env) -> bool:
    return isinstance(part, (ast.Name, ast.Attribute)) and ctx.static(part, env) is None


def _is_new(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is None


def by_rewriting(
    ctx: FunctionContext, node: ast.Subscript, x: T.Atom, parts: list[ast.expr], env: Env
) -> T.Atom | None:
    """The value of `x[parts]` if an index is a list of ints, or a slice with a step; else None."""
    if isinstance(x.type, RowsType) and x.type.dims[0] == ANY and len(parts) == 1:
        some = _where(ctx, node, x, parts[0], env)
        if some is not None:
            return some
    lists = [i for i, p in enumerate(parts) if _of_ints(ctx, p, x, env)]
    steps = [i for i, p in enumerate(parts) if isinstance(p, ast.Slice) and p.step is not None]
    if len(lists) + len(steps) == 0:
        return None
    (at, *more) = lists + steps
    others = [p for i, p in enumerate(parts) if i != at]
    if more or at > 1 or any(ast.unparse(p) != _EVERYTHING for p in others):
        _refuse(ctx, node)
    before = set(env.names)
    tensor = temporary(env, ast.unparse(node.value), x, node.value)
    if isinstance(x.type, RowsType) and at == 1:
        written: ast.expr = _of_each_row(tensor, parts[at])
    else:
        written = (_listed if lists else _stepped)(ctx, node, tensor, x, parts[at], at, env)
    value = ctx.expression(placed(written, node), env)
    for name in set(env.names) - before - ctx.locals:
        del env.names[name]
    return value


def _where(
    ctx: FunctionContext, node: ast.Subscript, x: T.Atom, part: ast.expr, env: Env
) -> T.Atom | None:
    """`x[mask]`: the rows where it holds, each of which is a decision; None of other indices."""
    if isinstance(part, (ast.Slice, ast.Constant)):
        return None
    with ctx.region():
        t = ctx.peek(part, env.copy()).type
    if not isinstance(t, RowsType) or not t.mask or len(t.dims) != 1:
        return None
    inner = env.copy()
    rows = temporary(inner, f"the rows of {ast.unparse(node.value)}", x, node)
    mask = temporary(inner, ast.unparse(part), ctx.expression(part, env), part)
    both = call(zip, rows, mask)
    both.keywords = [ast.keyword("strict", ast.Constant(True))]
    names = ("a row", "whether it is one")
    pair = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
    test = ast.Name(names[1], ast.Load())
    each = ast.comprehension(pair, both, [test], 0)
    some = ast.ListComp(ast.Name(names[0], ast.Load()), [each])
    chosen = ctx.expression(placed(some, node), inner)
    assert isinstance(chosen, T.Var) and isinstance(chosen.type, ListType)
    assert isinstance(chosen.type.item, TensorType)
    return as_rows(chosen, chosen.type.item)


def _refuse(ctx: FunctionContext, node: ast.Subscript) -> NoReturn:
    text = ast.unparse(node.value)
    ctx.fail(
        "AC002",
        node,
        "a list, or a slice with a step, beside another index",
        f"one after the other, `rows = {text}[ids]` and then a part of `rows`",
    )


def _of_ints(ctx: FunctionContext, part: ast.expr, x: T.Atom, env: Env) -> bool:
    """Whether an index is a list of ints; a mask is refused."""
    if isinstance(part, (ast.Slice, ast.Constant)):
        return False
    with ctx.region():
        t = ctx.peek(_items(ctx, part, env), env.copy()).type
    if isinstance(t, TensorType) and t.mask:
        text = ast.unparse(part)
        ctx.fail(
            "AC017",
            part,
            f"the elements where a {t} holds: their number depends on values",
            f"`ops.where({text}, x, 0.0)`, of the same size",
        )
    return isinstance(t, ListType) and t.item == INT


def _items(ctx: FunctionContext, part: ast.expr, env: Env) -> ast.expr:
    """The list in `np.array(ids)`, or of `np.arange(n)`."""
    match part:
        case ast.Call(func, args, []) if ctx.static(func, env) is np.arange:
            return placed(call(list, placed(call(range, *args), part)), part)
        case ast.Call(func, [items], []) if any(ctx.static(func, env) is f for f in _ARRAYS):
            return items
    return part


def _of_each_row(x: ast.expr, part: ast.expr) -> ast.expr:
    """`x[:, part]`, where only the instance knows how many rows there are."""
    each = ast.comprehension(ast.Name("a row", ast.Store()), x, [], 0)
    some = ast.Subscript(ast.Name("a row", ast.Load()), part, ast.Load())
    return call(ops.stack, ast.ListComp(some, [each]))


def _row(x: ast.expr, index: ast.expr, axis: int) -> ast.expr:
    at = ast.Tuple([ast.Slice(), index], ast.Load()) if axis else index
    return ast.Subscript(x, at, ast.Load())


def _turned(stacked: ast.expr, axis: int) -> ast.expr:
    return ast.Attribute(stacked, "T", ast.Load()) if axis else stacked


def _listed(
    ctx: FunctionContext,
    node: ast.Subscript,
    tensor: ast.expr,
    x: T.Atom,
    part: ast.expr,
    axis: int,
    env: Env,
) -> ast.expr:
    """`x[ids]`, `x[:, ids]`."""
    ids = _items(ctx, part, env)
    if isinstance(ids, (ast.List, ast.Tuple)) and not _spread(ids):
        return _turned(call(ops.stack, *(_row(tensor, e, axis) for e in ids.elts)), axis)
    index = "an index"
    each = ast.comprehension(ast.Name(index, ast.Store()), ids, [], 0)
    row = _row(tensor, ast.Name(index, ast.Load()), axis)
    return _turned(call(ops.stack, ast.ListComp(row, [each])), axis)


def _spread(items: ast.List | ast.Tuple) -> bool:
    return not items.elts or any(isinstance(e, ast.Starred) for e in items.elts)


def _stepped(
    ctx: FunctionContext,
    node: ast.Subscript,
    tensor: ast.expr,
    x: T.Atom,
    part: ast.expr,
    axis: int,
    env: Env,
) -> ast.expr:
    """`x[::-1]`, `x[::2]`, `x[:, ::-1]`: the rows one by one."""
    assert isinstance(part, ast.Slice) and isinstance(x.type, TensorType)
    if isinstance(x.type, RowsType) and axis == 0:
        items = temporary(env, f"the rows of {ast.unparse(node.value)}", listed(x), node)
        return call(ops.stack, ast.Subscript(items, part, ast.Load()))
    size = x.type.dims[axis].bind(ctx.builder.sizes).known if axis < len(x.type.dims) else None
    bounds = [
        None if b is None else constant(ctx, b, env) for b in (part.lower, part.upper, part.step)
    ]
    given = [b is not None for b in (part.lower, part.upper, part.step)]
    known = all((b is not None) == g for b, g in zip(bounds, given, strict=True))
    if size is None or not known or bounds[2] == 0 or size > MAX_OPERANDS:
        ctx.fail(
            "AC002",
            part,
            f"a slice with a step of {x.type}",
            f"numbers as its bounds, and at most {MAX_OPERANDS} rows; or a list of the rows, "
            "`[x[i] for i in range(a, b, step)]`",
        )
    places = range(size)[slice(*bounds)]
    if not places:
        ctx.fail("AC002", part, "a slice without items", "`x[a:b]`")
    rows = [_row(tensor, ast.Constant(i), axis) for i in places]
    stacked = _turned(call(ops.stack, *rows), axis)
    if len(places) != size:
        return stacked
    shape = ast.Attribute(tensor, "shape", ast.Load())
    return call(ops.reshape, stacked, shape)
