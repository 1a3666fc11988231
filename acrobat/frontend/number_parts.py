"""Numbers inside tuples, objects and lists that meet tensors of rank 0 in a loop, as those in names
do: `beams = [([], 0.0, h)]` before it, and `(seq + [k], score + x[k], g)` in it; `[Beam(0.0)]`."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..ir import typed as T
from ..ir.subtypes import join
from ..ir.types import (
    FLOAT,
    INT,
    ListType,
    NamedTupleType,
    RecordType,
    TensorType,
    TupleType,
    Type,
)
from .context import FunctionContext
from .emit import as_tensor, length, list_op, widen


def with_tensors(ctx: FunctionContext, node: ast.AST, value: T.Atom, beside: Type) -> T.Atom | None:
    """`value` with a tensor for each number where `beside` has a tensor of rank 0; None if that is
    not all in which they differ."""
    t = value.type
    if join(t, beside) is not None:
        return value
    if beside == TensorType(()) and t in (INT, FLOAT):
        number = widen(value, FLOAT)
        return as_tensor(ctx, node, number) if number.type == FLOAT else None
    if not isinstance(value, T.Var) or type(t) is not type(beside):
        return None
    if isinstance(t, ListType) and isinstance(beside, ListType):
        return _items(ctx, node, value, t.item, beside.item)
    if type(t) in (TupleType, NamedTupleType, RecordType) and isinstance(beside, TupleType):
        assert isinstance(t, TupleType)
        alike = getattr(t, "name", "") == getattr(beside, "name", "")
        return _parts(ctx, node, value, t, beside) if alike else None
    return None


def _parts(
    ctx: FunctionContext, node: ast.AST, value: T.Var, t: TupleType, beside: TupleType
) -> T.Var | None:
    if len(t.items) != len(beside.items):
        return None
    found: list[T.Atom] = []
    known = ctx.parts.get(value.number, ())
    for i, (item, other) in enumerate(zip(t.items, beside.items, strict=True)):
        part: T.Atom = known[i] if known else ctx.let(T.GetItem(value, i), item, node, "part")
        made = with_tensors(ctx, node, part, other)
        if made is None:
            return None
        found.append(made)
    types = tuple(a.type for a in found)
    return ctx.let(T.MakeTuple(tuple(found)), replace(t, items=types), node, "parts")


def _items(
    ctx: FunctionContext, node: ast.AST, value: T.Var, item: Type, beside: Type
) -> T.Var | None:
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        made = with_tensors(ctx, node, list_op(ctx, "get", (value, index), item, node), beside)
    if made is None:
        return None
    out = T.Var("items", ListType(made.type))
    region = T.Region(tuple(stmts), T.Yield((made,)))
    count = length(ctx, value, node)
    ctx.stmts.append(T.Map((out,), index, count, region, False, ctx.span(node)))
    return out
