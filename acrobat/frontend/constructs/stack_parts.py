"""Parts of stacks of matrices: `q[h]`, `q[:, h]`, `q[..., 0]`, `for head in q`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import ANY, INT, ListType, StackType, TensorType
from ..context import FunctionContext
from ..emit import Attrs, Operands, list_op, tensor_op
from ..iteration_space import IterationSpace
from ..registry import SUBSCRIPTS, iterated, subscript
from ..scope import Env
from ..sizes import constant
from ..stacks import (
    as_columns,
    as_rows,
    beside,
    matrices,
    refuse_stack,
    size_of_stack,
    stacked,
    without_axis,
)
from .arguments import temporary
from .numpy_rewritings import once
from .tensor_indices import index_parts

_WAYS = "`q[h]`, `q[:, h]`, `q[:, :, a:b]`"


@subscript(StackType)
def stack_item(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """The matrix or the matrices that the index along their axis chooses, and of each what the
    other indices choose."""
    assert isinstance(obj.type, StackType)
    index = index_parts(ctx, node, obj.type, env)
    if len(index) > 3 or any(isinstance(p, ast.Constant) and p.value is None for p in index):
        refuse_stack(ctx, "a new axis, or a fourth one,", node, [(node.value, obj)], _WAYS)
    before = set(env.names)
    along = obj.type.axis
    parts = [_once(ctx, part, env) for part in index]
    parts += [ast.Slice() for _ in range(3 - len(parts))]
    chosen, others = parts[along], [p for i, p in enumerate(parts) if i != along]
    if not isinstance(chosen, ast.Slice):
        found = item_of_stack(ctx, node, obj, along, ctx.expression(chosen, env))
        value = _of_matrix(ctx, node, found, others, env)
    else:
        some = _some(ctx, node, obj, chosen, env)
        found_parts = [_of_matrix(ctx, node, m, others, env) for m in some]
        first = along == 0 or (along == 1 and not isinstance(parts[0], ast.Slice))
        value = _put_together(ctx, node, found_parts, along, first)
    for name in set(env.names) - before - ctx.locals:
        del env.names[name]
    return value


def _put_together(
    ctx: FunctionContext, node: ast.AST, parts: Sequence[T.Atom], along: int, first: bool
) -> T.Atom:
    """Equal parts of the matrices of a stack: matrices, vectors or numbers. `first`: no axis that
    is left lies before theirs."""
    t = parts[0].type
    assert isinstance(t, TensorType)
    if len(t.dims) == 2:
        return stacked(ctx, node, parts, along)
    if len(t.dims) == 0:
        one: Attrs = (("shape", (Dim.of(1),)),)
        ones: Operands = [(node, tensor_op(ctx, "reshape", node, [(node, p)], one)) for p in parts]
        return tensor_op(ctx, "concat", node, ones, mask=t.mask)
    return (as_rows if first else as_columns)(ctx, node, parts)


def _once(ctx: FunctionContext, part: ast.expr, env: Env) -> ast.expr:
    """An index that computes nothing again, unless it is known when the model is compiled."""
    if isinstance(part, ast.Slice):
        low, high = (b and _once(ctx, b, env) for b in (part.lower, part.upper))
        return ast.copy_location(ast.Slice(low, high, part.step), part)
    return part if constant(ctx, part, env) is not None else once(ctx, part, env)


def _some(
    ctx: FunctionContext, node: ast.Subscript, x: T.Atom, part: ast.Slice, env: Env
) -> Sequence[T.Atom]:
    """The matrices that a slice along their axis chooses."""
    written = (part.lower, part.upper, part.step)
    bounds = [None if b is None else constant(ctx, b, env) for b in written]
    known = all((b is None) == (w is None) for b, w in zip(bounds, written, strict=True))
    some = matrices(ctx, node, x)[slice(*bounds)] if known and bounds[2] != 0 else ()
    if not some:
        refuse_stack(ctx, "this part", node, [(node.value, x)], _WAYS)
    return some


def _of_matrix(
    ctx: FunctionContext, node: ast.Subscript, x: T.Atom, index: list[ast.expr], env: Env
) -> T.Atom:
    """`x[index]` of a matrix."""
    if all(ast.unparse(i) == ":" for i in index):
        return x
    tensor = temporary(env, ast.unparse(node.value), x, node.value)
    rest = index if ast.unparse(index[1]) != ":" else index[:1]
    at = rest[0] if len(rest) == 1 else ast.Tuple(rest, ast.Load())
    made = ast.copy_location(ast.Subscript(tensor, at, ast.Load()), node)
    return SUBSCRIPTS[type(x.type)](ctx, ast.fix_missing_locations(made), x, env)


def item_of_stack(
    ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int, index: T.Atom
) -> T.Atom:
    """What is at an index along an axis: a matrix."""
    assert isinstance(x.type, StackType)
    if index.type != INT:
        ctx.fail("AC017", node, f"an index along an axis is an int, this is {index.type}", "an int")
    parts = matrices(ctx, node, x)
    along, count = x.type.axis, x.type.count
    if axis != along:
        if beside(along, axis) == 1:
            parts = tuple(
                tensor_op(ctx, "transpose", node, [(node, p)], mask=x.type.mask) for p in parts
            )
        rows = [
            tensor_op(ctx, "lookup", node, [(node, p), (node, index)], mask=x.type.mask)
            for p in parts
        ]
        return without_axis(ctx, node, rows, along, axis)
    if not isinstance(index, T.Const):
        t = x.type.matrix
        items = list_op(ctx, "make", parts, ListType(t), node)
        return list_op(ctx, "get", (items, index), t, node)
    number = int(index.value)
    if not -count <= number < count:
        ctx.fail("AC010", node, f"{x.type} has {count} matrices, and none at {number}", "`q[0]`")
    return parts[number % count]


@iterated(StackType)
def over_stack(ctx: FunctionContext, node: ast.expr, x: T.Atom) -> IterationSpace:
    """`for head in q`; over the axis of the matrices it is unrolled."""
    assert isinstance(x.type, StackType)
    first = x.type.dims[0]
    size: T.Atom
    if first == ANY:
        size = size_of_stack(ctx, node, x, 0)
    else:
        number = first.bind(ctx.builder.sizes).known
        assert number is not None
        size = T.Const(number, INT)
    unrolled = x.type.count if x.type.axis == 0 else None
    return IterationSpace.count(size, lambda i: item_of_stack(ctx, node, x, 0, i), unrolled)
