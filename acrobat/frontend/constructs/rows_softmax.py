"""A softmax that the author writes out, along a dimension that only the instance knows:

    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)

It is `ops.softmax(x)`, and so is a call of a function that consists of this: what `p @ values`
needs is then computed for eight elements at a time. Without the largest element it is left as it
is, because there e^x may overflow.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ...ir import typed as T
from ...ir.types import RowsType, StackType
from ..context import FunctionContext
from ..emit import Operands
from ..rows import apply, axes, facts


def note_reduction(
    ctx: FunctionContext, name: str, x: T.Atom, axis: int | None, out: T.Var
) -> None:
    """Note that `out` is a reduction of `x` over its last axis."""
    if not isinstance(x, T.Var) or not isinstance(x.type, RowsType) or axes(x) not in ("?", "??"):
        return
    if axis in (-1, len(x.type.dims) - 1) or (axis is None and axes(x) == "?"):
        ctx.reductions[out.number] = name, x


def note_power(ctx: FunctionContext, name: str, operands: Operands, out: T.Var) -> None:
    """Note of the result of a point-wise operation that it is x - max(x), or e^(x - max(x))."""
    values = [a for _, a in operands]
    if name == "sub" and _is_reduction(ctx, "max", *values):
        assert isinstance(values[0], T.Var)
        ctx.rows[out.number] = replace(ctx.rows[out.number], less_largest=values[0])
    elif name == "exp" and isinstance(values[0].type, RowsType):
        base = facts(ctx, values[0]).less_largest
        ctx.rows[out.number] = replace(ctx.rows[out.number], power_of=base)


def softmax_written_out(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands
) -> T.Var | None:
    """The softmax that is the quotient of `operands`, if it is one."""
    (_, x), *rest = operands
    if name != "div" or not isinstance(x.type, RowsType) or not isinstance(rest[0][1], T.Var):
        return None
    base = facts(ctx, x).power_of
    return _softmax(ctx, node, base) if base and _is_reduction(ctx, "sum", x, rest[0][1]) else None


def note_function(
    ctx: FunctionContext, tree: ast.FunctionDef, params: list[T.Var], end: T.End
) -> None:
    """Note that the function is the softmax of its parameter, if it is."""
    plain = all(isinstance(s, (ast.Assign, ast.Return, ast.Expr)) for s in tree.body)
    if not plain or not isinstance(end, T.Return) or len(params) != 1 or not end.values:
        return
    found, given = _matrices(ctx, end.values[0]), _matrices(ctx, params[0])
    if found and [_softmax_of(ctx, m) for m in found] == given:
        ctx.builder.softmaxes.add(ctx.signature.name)


def _matrices(ctx: FunctionContext, x: T.Atom) -> list[T.Atom]:
    """`x`, or the matrices of which it is a stack; none if it is no such tensor."""
    if isinstance(x, T.Var) and isinstance(x.type, StackType):
        return list(ctx.parts.get(x.number, ()))
    return [x] if isinstance(x.type, RowsType) else []


def _softmax_of(ctx: FunctionContext, x: T.Atom) -> T.Var | None:
    return facts(ctx, x).softmax_of if isinstance(x.type, RowsType) else None


def softmax_called(ctx: FunctionContext, node: ast.AST, call: T.Call) -> T.Var | None:
    """The result of `call`, if the function is the softmax of its parameter."""
    if call.function not in ctx.builder.softmaxes:
        return None
    (x,) = call.args
    assert isinstance(x, T.Var)
    return _softmax(ctx, node, x)


def _softmax(ctx: FunctionContext, node: ast.AST, x: T.Var) -> T.Var:
    out = apply(ctx, node, "softmax", x)
    if isinstance(out.type, RowsType):
        ctx.rows[out.number] = replace(facts(ctx, out), softmax_of=x)
    return out


def _is_reduction(ctx: FunctionContext, name: str, x: T.Atom, out: T.Atom) -> bool:
    """Whether `out` has the reduction of `x` over its last axis beside each element of `x`."""
    if not isinstance(x, T.Var) or not isinstance(out, T.Var) or not isinstance(x.type, RowsType):
        return False
    if axes(x) == "??" and axes(out) != "?n":
        return False
    found, of = ctx.reductions.get(out.number, ("", x))
    power = facts(ctx, x).power_of
    return found == name and (of == x or (power is not None and facts(ctx, of).power_of == power))
