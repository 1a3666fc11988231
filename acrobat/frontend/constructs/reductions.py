"""Reductions and softmax: the axes that they run over, and `keepdims`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import BOOL, NONE, RowsType, StackType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import Attrs, tensor_op
from ..registry import operation
from ..rows import mapped, transposed
from ..scope import Env
from ..sizes import constant
from ..stacks import refuse_stack
from .rows_softmax import note_reduction
from .stacks import over_all, reduced_stack, softmax_of_stack


def chosen_axis(
    ctx: FunctionContext, node: ast.expr | None, x: TensorType, name: str, env: Env
) -> int | None:
    """The axis, as a number from 0 on; None for all axes."""
    if node is None or is_none(node, env):
        return None
    rank = len(x.dims)
    if isinstance(node, ast.Tuple):
        several = [constant(ctx, n, env) for n in node.elts]
        if rank and sorted(a % rank for a in several if a is not None) == list(range(rank)):
            return None
    number = constant(ctx, node, env)
    if number is None:
        ctx.fail("AC017", node, f"the axis of ops.{name} is a number, written out", "`axis=0`")
    if not -rank <= number < rank:
        axes = f"its axes are 0 to {rank - 1}" if rank > 1 else "its one axis is 0"
        ctx.fail("AC010", node, f"{x} has no axis {number}", axes if rank else "leave the axis out")
    return number % rank


def one_axis(ctx: FunctionContext, node: ast.expr, x: TensorType, name: str, env: Env) -> int:
    """The axis, as a number from 0 on, of an operation that runs along exactly one."""
    axis = chosen_axis(ctx, node, x, name, env)
    if axis is None:
        ctx.fail("AC017", node, f"ops.{name} runs along one axis, not along all", "`axis=-1`")
    return axis


def is_none(node: ast.expr, env: Env) -> bool:
    """Whether `node` is None, or a name that is nothing else."""
    if isinstance(node, ast.Name):
        value = env.names.get(node.id)
        return isinstance(value, (T.Var, T.Const)) and value.type == NONE
    return isinstance(node, ast.Constant) and node.value is None


def _keeps(ctx: FunctionContext, node: ast.expr | None, env: Env) -> bool:
    if node is None:
        return False
    if isinstance(node, ast.Name):
        value = env.names.get(node.id)
        if isinstance(value, T.Const) and value.type == BOOL:
            return bool(value.value)
    if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
        ctx.fail("AC017", node, "keepdims is True or False, written out", "`keepdims=True`")
    return node.value


def _reduction(name: str) -> None:
    @operation(name)
    def lower(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
        source = given["x"]
        x = ctx.expression(source, env)
        if not isinstance(x.type, TensorType):
            remedy = _REMEDIES.get(name, _LOOP)
            ctx.fail("AC010", node, f"{name} needs a tensor, got {x.type}", remedy)
        along = given.get("axis")
        if isinstance(x.type, StackType) and isinstance(along, ast.Tuple) and len(along.elts) == 2:
            return _over_two(ctx, node, name, x, given, along, env)
        axis = chosen_axis(ctx, along, x.type, name, env)
        keeps = _keeps(ctx, given.get("keepdims"), env)
        found = _reduced_to(ctx, node, name, source, x, axis, keeps)
        assert isinstance(found, T.Var)
        return found


def _over_two(
    ctx: FunctionContext,
    node: ast.Call,
    name: str,
    x: T.Atom,
    given: dict[str, ast.expr],
    along: ast.Tuple,
    env: Env,
) -> T.Var:
    """The reduction of a stack over two axes, one after the other, the last one first."""
    assert isinstance(x.type, TensorType)
    axes = {one_axis(ctx, a, x.type, name, env) for a in along.elts}
    if len(axes) != 2:
        ctx.fail("AC010", along, "the same axis twice", "two axes, `axis=(1, 2)`")
    found, keeps = x, _keeps(ctx, given.get("keepdims"), env)
    for axis in sorted(axes, reverse=True):
        found = _reduced_to(ctx, node, name, given["x"], found, axis, keeps)
    assert isinstance(found, T.Var)
    return found


def _reduced_to(
    ctx: FunctionContext,
    node: ast.Call,
    name: str,
    source: ast.expr,
    x: T.Atom,
    axis: int | None,
    keeps: bool,
) -> T.Atom:
    """The reduction over one axis or over all; `keeps`: these stay, with length 1."""
    assert isinstance(x.type, TensorType)
    if isinstance(x.type, StackType):
        if axis is None and keeps:
            refuse_stack(ctx, f"{name} with keepdims", node, [(source, x)], "one of its axes")
        if axis is None:
            return over_all(ctx, node, name, x)

        def over(matrix: T.Atom, axis: int) -> T.Atom:
            return _reduced_to(ctx, node, name, source, matrix, axis, keeps)

        return reduced_stack(ctx, node, name, x, axis, keeps, over)
    result = reduced(ctx, node, name, source, x, axis)
    note_reduction(ctx, name, x, axis, result)
    if not keeps:
        return result
    one = Dim.of(1)
    if isinstance(result.type, RowsType):
        kept = mapped(
            ctx,
            node,
            [result],
            lambda item: tensor_op(ctx, "reshape", node, [(node, item)], (("shape", (one,)),)),
        )
        note_reduction(ctx, name, x, axis, kept)
        return transposed(kept) if axis == 0 else kept
    dims = tuple(one if axis in (None, i) else d for i, d in enumerate(x.type.dims))
    kept = tensor_op(ctx, "reshape", node, [(node, result)], (("shape", dims),))
    note_reduction(ctx, name, x, axis, kept)
    return kept


for _name in ("sum", "mean", "max", "min", "logsumexp"):
    _reduction(_name)


def _along_an_axis(name: str) -> None:
    @operation(name)
    def lower(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
        source = given["x"]
        x = ctx.expression(source, env)
        axis = None
        if "axis" in given and isinstance(x.type, TensorType):
            axis = one_axis(ctx, given["axis"], x.type, name, env)
        if isinstance(x.type, StackType):
            found = softmax_of_stack(ctx, node, name, x, 2 if axis is None else axis)
            assert isinstance(found, T.Var)
            return found
        if axis != 0 or not isinstance(x.type, TensorType) or len(x.type.dims) == 1:
            return tensor_op(ctx, name, node, [(source, x)])
        columns = tensor_op(ctx, "transpose", node, [(source, x)])
        done = tensor_op(ctx, name, node, [(node, columns)])
        return tensor_op(ctx, "transpose", node, [(node, done)])


for _name in ("softmax", "log_softmax"):
    _along_an_axis(_name)


def reduced(
    ctx: FunctionContext,
    node: ast.AST,
    name: str,
    source: ast.expr,
    x: T.Atom,
    axis: int | None,
) -> T.Var:
    """The reduction of `x`, which is `source` in the model, over one axis or all of them."""
    assert isinstance(x.type, TensorType)
    attrs: Attrs = ()
    if axis is not None:
        attrs = (("axis", -1 if axis == len(x.type.dims) - 1 else axis),)
    if name != "min":
        return tensor_op(ctx, name, node, [(source, x)], attrs)
    negated = tensor_op(ctx, "neg", node, [(source, x)])
    largest = tensor_op(ctx, "max", node, [(node, negated)], attrs)
    return tensor_op(ctx, "neg", node, [(node, largest)], mask=is_mask(x))


_LOOP = "a loop that adds, of numbers"
_REMEDIES = {"max": "`max(a, b)` of numbers", "min": "`min(a, b)` of numbers"}
