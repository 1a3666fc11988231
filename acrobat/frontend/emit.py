"""Statements that several constructs build: tensor operations, list operations, arithmetic."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.ops import OPS, ShapeError
from ..ir.types import FLOAT, INT, TensorType, TupleType, Type
from .context import FunctionContext

ZERO, ONE, BACK = T.Const(0, INT), T.Const(1, INT), T.Const(-1, INT)

# The operands of a tensor operation: the source of each, for errors, and its value.
Operands = list[tuple[ast.AST, T.Atom]]
Attrs = tuple[tuple[str, T.AttrValue], ...]


def tensor_op(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: Attrs = (),
) -> T.Var:
    """One tensor operation, its shape checked by its rule."""
    args = tuple(a for _, a in operands)
    for source, arg in operands:
        if name != "lookup" and isinstance(arg.type, TensorType) and len(arg.type.dims) > 2:
            ctx.fail(
                "AC010",
                node,
                f"{name} of a {arg.type}: operations are on tensors of rank 2 at most",
                f"one of its matrices, `{ast.unparse(source)}[i]`",
                ctx.origin_notes((source, arg)),
            )
    try:
        t = OPS[name].result([a.type for a in args], dict(attrs))
    except ShapeError as error:
        blamed = [operands[i] for i in error.blame if i < len(operands)]
        ctx.fail(
            "AC010", node, str(error), "" if blamed else "another size", ctx.origin_notes(*blamed)
        )
    if name not in ("lookup", "zeros") and len(t.dims) > 2:
        ctx.fail(
            "AC010",
            node,
            f"{name} to a {t}: operations are on tensors of rank 2 at most",
            "a list of matrices",
        )
    return ctx.let(T.Op(name, args, attrs), t, node, name)


def list_op(
    ctx: FunctionContext, op: str, args: tuple[T.Atom, ...], t: Type, node: ast.AST
) -> T.Var:
    """One operation on lists."""
    return ctx.let(T.ListOp(op, args), t, node, "n" if t == INT else "items")


def length(ctx: FunctionContext, items: T.Atom, node: ast.AST) -> T.Var:
    """len(items) of a list."""
    return list_op(ctx, "len", (items,), INT, node)


def int_op(
    ctx: FunctionContext, op: str, args: tuple[T.Atom, ...], node: ast.AST, name: str = "n"
) -> T.Var:
    """One operation on ints."""
    return ctx.let(T.Scalar(op, args), INT, node, name)


def make_tuple(
    ctx: FunctionContext, items: tuple[T.Atom, ...], node: ast.AST, name: str = "pair"
) -> T.Var:
    """A tuple of the items."""
    return ctx.let(T.MakeTuple(items), TupleType(tuple(i.type for i in items)), node, name)


def widen(atom: T.Atom, wanted: Type) -> T.Atom:
    """An int constant where a float is wanted becomes one, if there is that float."""
    if isinstance(atom, T.Const) and atom.type == INT and wanted == FLOAT:
        value = float(atom.value)
        return T.Const(value, FLOAT) if value == atom.value else atom
    return atom
