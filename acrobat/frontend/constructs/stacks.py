"""Operations on stacks of matrices, each of which is done matrix by matrix."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence

from ...ir import typed as T
from ...ir.ops import OPS
from ...ir.types import INT, RowsType, StackType, TensorType
from ..context import FunctionContext
from ..emit import Attrs, Operands, tensor_op
from ..rows import apply
from ..stacks import beside, matrices, permuted, refuse_stack, stacked, without_axis
from .stack_parts import item_of_stack

# Operations along the last axis.
_BY_ROW = ("softmax", "log_softmax", "layer_norm", "rms_norm", "linear")
_ALONE = "its matrices one by one, `[f(x) for x in q]`"
_ORDER = "stacks along the first axis, `q.transpose(1, 0, 2)`"
Reduced = Callable[[T.Atom], T.Atom]


def operation_on_stacks(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: dict[str, T.AttrValue],
) -> T.Var:
    """One operation at least one of whose operands is a stack."""
    given: Attrs = tuple(attrs.items())
    first = operands[0][1]
    if OPS[name].kind == "pointwise":
        return _pointwise(ctx, name, node, operands, given)
    if name == "matmul":
        return _product(ctx, node, operands)
    if not isinstance(first.type, StackType) or any(
        isinstance(a.type, TensorType) and len(a.type.dims) > 2 for _, a in operands[1:]
    ):
        refuse_stack(ctx, name, node, operands, _ALONE)
    if name == "transpose":
        return permuted(ctx, node, first, (2, 1, 0))
    if name == "lookup":
        found = item_of_stack(ctx, node, first, 0, operands[1][1])
        assert isinstance(found, T.Var)
        return found
    if name in _BY_ROW and first.type.axis < 2:
        parts = [
            tensor_op(ctx, name, node, [(operands[0][0], m), *operands[1:]], given)
            for m in matrices(ctx, node, first)
        ]
        return stacked(ctx, node, parts, first.type.axis)
    if name in ("sum", "mean", "max") and "axis" not in attrs:
        whole = over_all(ctx, node, name, first)
        assert isinstance(whole, T.Var)
        return whole
    refuse_stack(ctx, name, node, operands, _ALONE)


# -- point-wise operations and products ------------------------------------------------------------


def _pointwise(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """With stacks of as many matrices along the same axis, or of one, and with what is broadcast
    along that axis."""
    stacks = [a.type for _, a in operands if isinstance(a.type, StackType)]
    axis, count = stacks[0].axis, max(t.count for t in stacks)
    if any(t.axis != axis or t.count not in (1, count) for t in stacks):
        refuse_stack(ctx, name, node, operands, "stacks of as many matrices along the same axis")
    columns = [_along(ctx, node, a, axis, count) for _, a in operands]
    if None in columns:
        instead = f"what numpy broadcasts to every matrix; {_ORDER} have their heads there"
        refuse_stack(ctx, name, node, operands, instead)
    parts = [
        tensor_op(
            ctx,
            name,
            node,
            [(n, c[i]) for (n, _), c in zip(operands, columns, strict=True) if c is not None],
            attrs,
        )
        for i in range(count)
    ]
    return stacked(ctx, node, parts, axis)


def _along(
    ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int, count: int
) -> Sequence[T.Atom] | None:
    """What each of `count` matrices along an axis meets of `x`; None if that is not known."""
    t = x.type
    if isinstance(t, StackType):
        found = matrices(ctx, node, x)
        return found * count if len(found) == 1 else found
    if not isinstance(t, TensorType):
        return [x] * count
    at = axis - (3 - len(t.dims))  # the axis of `x` that is aligned with it
    if at < 0:
        return [x] * count
    size = t.dims[at].bind(ctx.builder.sizes).known
    if isinstance(t, RowsType) or size not in (1, count) or len(t.dims) > 2:
        return None
    if at == 1:
        x = tensor_op(ctx, "transpose", node, [(node, x)], mask=t.mask)
    places = [T.Const(i if size == count else 0, INT) for i in range(count)]
    return [tensor_op(ctx, "lookup", node, [(node, x), (node, i)], mask=t.mask) for i in places]


def _product(ctx: FunctionContext, node: ast.AST, operands: Operands) -> T.Var:
    """Products of matrices along the first axis, or with one matrix for all of them."""
    (_, a), (_, b) = operands
    types = [x.type for x in (a, b) if isinstance(x.type, StackType)]
    left, right = (isinstance(x.type, StackType) for x in (a, b))
    other = b if left else a
    plain = isinstance(other.type, TensorType) and len(other.type.dims) == 2
    counts = {t.count for t in types} - {1}
    first = all(t.axis == 0 for t in types)
    each_row = left and not right and types[0].axis == 1
    if not (first or each_row) or len(counts) > 1 or not (plain or (left and right)):
        refuse_stack(ctx, "matmul", node, operands, _ORDER)
    count = max(t.count for t in types)
    sides = [matrices(ctx, node, x) if isinstance(x.type, StackType) else (x,) for x in (a, b)]
    pairs = zip(*(s * count if len(s) == 1 else s for s in sides), strict=True)
    parts = [apply(ctx, node, "matmul", x, y) for x, y in pairs]
    return stacked(ctx, node, parts, types[0].axis)


# -- reductions ------------------------------------------------------------------------------------


def reduced_stack(
    ctx: FunctionContext,
    node: ast.AST,
    name: str,
    x: T.Atom,
    axis: int,
    keeps: bool,
    over: Callable[[T.Atom, int], T.Atom],
) -> T.Atom:
    """The reduction of a stack along an axis. `over` is that of a matrix along one of its axes,
    with `keepdims` if that is wanted."""
    assert isinstance(x.type, StackType)
    along = x.type.axis
    parts: Sequence[T.Atom] = matrices(ctx, node, x)
    if axis == along:
        whole = _joined(ctx, node, name, parts)
        return stacked(ctx, node, [whole], axis) if keeps else whole
    parts = [over(p, beside(along, axis)) for p in parts]
    return (
        stacked(ctx, node, parts, along) if keeps else without_axis(ctx, node, parts, along, axis)
    )


def over_all(ctx: FunctionContext, node: ast.AST, name: str, x: T.Atom) -> T.Atom:
    """The reduction of a whole stack."""
    if name not in ("sum", "mean", "max", "min"):
        refuse_stack(ctx, name, node, [(node, x)], _ALONE)
    parts = matrices(ctx, node, x)
    if name == "min":
        return apply(ctx, node, "neg", over_all(ctx, node, "max", apply(ctx, node, "neg", x)))
    return _joined(ctx, node, name, [apply(ctx, node, name, p) for p in parts])


def _joined(ctx: FunctionContext, node: ast.AST, name: str, parts: Sequence[T.Atom]) -> T.Atom:
    """Several tensors of one shape as one, element by element."""

    def by(operation: str) -> T.Atom:
        return functools.reduce(lambda a, b: apply(ctx, node, operation, a, b), parts)

    match name:
        case "sum":
            return by("add")
        case "mean":
            return apply(ctx, node, "div", by("add"), T.Const(len(parts), INT))
        case "max" | "min":
            return by(f"{name}imum")
    ctx.fail("AC010", node, f"{name} along the heads of a stack", "`np.sum`, `np.mean`, `np.max`")


def softmax_of_stack(
    ctx: FunctionContext, node: ast.AST, name: str, x: T.Atom, axis: int
) -> T.Atom:
    """softmax or log_softmax along any axis."""
    assert isinstance(x.type, StackType)
    along = x.type.axis
    if axis == along:
        refuse_stack(ctx, f"{name} along the heads", node, [(node, x)], "along another axis")
    parts: Sequence[T.Atom] = matrices(ctx, node, x)
    if beside(along, axis) == 0:
        parts = [apply(ctx, node, "transpose", p) for p in parts]
        parts = [apply(ctx, node, "transpose", apply(ctx, node, name, p)) for p in parts]
    else:
        parts = [apply(ctx, node, name, p) for p in parts]
    return stacked(ctx, node, parts, along)
