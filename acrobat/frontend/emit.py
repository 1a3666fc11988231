"""Statements that several constructs build: tensor operations, list operations, arithmetic."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ..ir import typed as T
from ..ir.host_functions import HOST_FUNCTIONS, computed
from ..ir.ops import OPS, ShapeError
from ..ir.type_maps import unmasked
from ..ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    ListType,
    RowsType,
    StackType,
    TensorType,
    TupleType,
    Type,
)
from ..limits import MAX_OPERANDS
from .context import FunctionContext
from .fitting_operands import instead_of
from .masks import gives_mask
from .presence import not_none
from .told_sizes import told_size
from .written import shown

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
    mask: bool = False,
) -> T.Var:
    """One tensor operation, its shape checked by its rule; `mask`: its result is a mask, as it also
    is if the operation keeps masks."""
    operands = [(source, not_none(ctx, source, a)) for source, a in operands]
    mask = mask or gives_mask(name, [a for _, a in operands])
    if OPS[name].kind == "pointwise":
        operands = [(source, _counted(ctx, source, a)) for source, a in operands]
    args = tuple(a for _, a in operands)
    result = None
    if any(isinstance(a.type, StackType) for a in args):
        result = ctx.handlers.stacks(ctx, name, node, operands, dict(attrs))
    elif any(isinstance(a.type, RowsType) for a in args) or _of_list(name, args):
        result = _rows_op(ctx, name, node, operands, attrs)
    if result is not None:
        assert isinstance(result.type, TensorType)
        return T.Var(result.name, replace(result.type, mask=mask), result.number)
    for source, arg in operands:
        if name != "lookup" and isinstance(arg.type, TensorType) and len(arg.type.dims) > 2:
            ctx.fail(
                "AC010",
                node,
                f"{name} of a {arg.type}: operations are on tensors of rank 2 at most",
                f"one of its matrices, `{shown(source)}[i]`",
                ctx.origin_notes((source, arg)),
            )
    try:
        t = OPS[name].result([unmasked(a.type) for a in args], dict(attrs))
    except ShapeError as error:
        if ctx.builder.declarations.by_number:
            told = told_size(name, [unmasked(a.type) for a in args], dict(attrs), error)
            if told is not None:
                raise told from None
        blamed = [operands[i] for i in error.blame if i < len(operands)]
        ctx.fail(
            "AC010",
            node,
            str(error),
            _unbound(ctx, [a.type for _, a in blamed])
            or (
                instead_of(name, node, operands, dict(attrs), blamed) if blamed else "another size"
            ),
            ctx.origin_notes(*blamed),
        )
    if any(d == ANY for d in t.dims):
        ctx.fail(
            "AC010",
            node,
            f"{name} of a {t}, whose size ? only the instance knows",
            "a size that is known when the model is compiled, or a list of vectors",
        )
    if name not in ("lookup", "zeros") and len(t.dims) > 2:
        ctx.fail(
            "AC010",
            node,
            f"{name} to a {t}: operations are on tensors of rank 2 at most",
            "a list of matrices",
        )
    return ctx.let(T.Op(name, args, attrs), TensorType(t.dims, mask), node, name)


def host_op(ctx: FunctionContext, name: str, args: tuple[T.Atom, ...], node: ast.AST) -> T.Atom:
    """A function that is left to Python (`ir/host_functions.py`); of known arguments, its result,
    such as the name of a weight, `f"w{i}"` in an unrolled loop."""
    known = [a.value for a in args if isinstance(a, T.Const)]
    found = computed(name, known) if len(known) == len(args) else None
    if isinstance(found, str):
        return ctx.builder.text(found)
    t = HOST_FUNCTIONS[name].result
    return ctx.let(T.Scalar(name, args), t, node, "s") if found is None else T.Const(found, t)


def _counted(ctx: FunctionContext, node: ast.AST, atom: T.Atom) -> T.Atom:
    """A truth value, an operand of a tensor operation, as 0 or 1; other operands as they are."""
    return int_op(ctx, "int", (atom,), node) if atom.type == BOOL else atom


def _unbound(ctx: FunctionContext, types: Sequence[Type]) -> str:
    """What to do about a dimension whose name no weight has: its size is not known."""
    if not ctx.builder.sizes:
        return ""  # lowered without weights
    for dim in (d for t in types if isinstance(t, TensorType) for d in t.dims):
        name = str(dim)
        if name.isidentifier() and name not in ctx.builder.sizes:
            return (
                f"a number in place of {name!r} in the hint, or the name that a weight has for it"
            )
    return ""


def _of_list(name: str, args: tuple[T.Atom, ...]) -> bool:
    """Whether this is `ops.stack(xs)` or `ops.concat(xs)` of a list."""
    return name in ("stack", "concat") and len(args) == 1 and isinstance(args[0].type, ListType)


def _rows_op(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, attrs: Attrs
) -> T.Var:
    """One operation on tensors at least one of which has a size that only the instance knows."""
    handler = ctx.handlers.rows.get(name)
    if handler is None:
        (_, first), *_ = (o for o in operands if isinstance(o[1].type, RowsType))
        ctx.fail(
            "AC010",
            node,
            f"{name} of a {first.type}, whose size ? only the instance knows",
            "point-wise operations, products, softmax, reductions, its rows",
        )
    return handler(ctx, name, node, operands, dict(attrs))


def as_tensor(ctx: FunctionContext, node: ast.AST, number: T.Atom) -> T.Var:
    """A float as a tensor of rank 0."""
    zero = tensor_op(ctx, "zeros", node, [], (("shape", ()),))
    return tensor_op(ctx, "add", node, [(node, zero), (node, number)])


def list_op(
    ctx: FunctionContext, op: str, args: tuple[T.Atom, ...], t: Type, node: ast.AST
) -> T.Var:
    """One operation on lists."""
    made = ctx.let(T.ListOp(op, args), t, node, "n" if t == INT else "items")
    known = _items_after(ctx, op, args)
    if known is not None:
        ctx.items[made.number] = known
    return made


def known_items(ctx: FunctionContext, items: T.Atom) -> tuple[T.Atom, ...] | None:
    """The items of a list, one by one; None if only the instance knows how many there are."""
    return ctx.items.get(items.number) if isinstance(items, T.Var) else None


def _items_after(
    ctx: FunctionContext, op: str, args: tuple[T.Atom, ...]
) -> tuple[T.Atom, ...] | None:
    if op == "make":
        return args
    before = known_items(ctx, args[0]) if op in ("append", "concat") else None
    behind = (args[1],) if op == "append" else known_items(ctx, args[-1])
    return None if before is None or behind is None else (*before, *behind)


def length(ctx: FunctionContext, items: T.Atom, node: ast.AST) -> T.Var:
    """len(items) of a list."""
    found = list_op(ctx, "len", (items,), INT, node)
    known = known_length(ctx, items)
    if known is not None:
        ctx.lengths[found.number] = known
    return found


def items_one_by_one(
    ctx: FunctionContext, items: T.Atom, node: ast.AST
) -> tuple[T.Atom, ...] | None:
    """The items of a list whose length is known, as many as an operation may have; else None."""
    count = known_length(ctx, items) if isinstance(items.type, ListType) else None
    if count is None or not 0 < count <= MAX_OPERANDS:
        return None
    assert isinstance(items.type, ListType)
    t = items.type.item
    return tuple(list_op(ctx, "get", (items, T.Const(i, INT)), t, node) for i in range(count))


def known_length(ctx: FunctionContext, of: T.Atom) -> int | None:
    """The length of a list, or the number that is the length of one, if it is known."""
    if isinstance(of, T.Const):
        return int(of.value) if of.type == INT else None
    items = known_items(ctx, of)
    return ctx.lengths.get(of.number) if items is None else len(items)


def int_op(
    ctx: FunctionContext, op: str, args: tuple[T.Atom, ...], node: ast.AST, name: str = "n"
) -> T.Var:
    """One operation on ints."""
    return ctx.let(T.Scalar(op, args), INT, node, name)


def make_tuple(
    ctx: FunctionContext, items: tuple[T.Atom, ...], node: ast.AST, name: str = "pair"
) -> T.Var:
    """A tuple of the items."""
    made = ctx.let(T.MakeTuple(items), TupleType(tuple(i.type for i in items)), node, name)
    ctx.parts[made.number] = items
    return made


def widen(atom: T.Atom, wanted: Type) -> T.Atom:
    """An int constant where a float is wanted becomes one, if a float has exactly its value."""
    if isinstance(atom, T.Const) and atom.type == INT and wanted == FLOAT:
        value = float(atom.value)
        return T.Const(value, FLOAT) if value == atom.value else atom
    return atom


def widened(atoms: Sequence[T.Atom]) -> list[T.Atom]:
    """`atoms`, alternatives for one value: if one is a float, int constants become floats."""
    wanted = FLOAT if any(a.type == FLOAT for a in atoms) else INT
    return [widen(a, wanted) for a in atoms]
