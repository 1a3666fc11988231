"""Tensors whose size only the instance knows: `m = ops.stack(xs)` of a list of any length.

Such a tensor is represented by the list of its items along that dimension, so no kernel depends on
the size. Row-wise operations are maps, with a node for each row, and the rows of all instances are
one batch; reductions across the rows are trees of nodes with eight rows each
(`ir.reduction_tree`). `m.T` is the same list, of columns.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn

from ..ir import typed as T
from ..ir.reduction_tree import Statements, Tree, folds
from ..ir.types import ANY, BOOL, INT, ListType, RowsType, TensorType
from .context import FunctionContext
from .emit import ZERO, Operands, length, list_op, tensor_op
from .row_facts import Rows
from .written import shown

Each = Callable[..., T.Atom]
# From an index to the item there.
At = Callable[[T.Atom], T.Atom]


def listed(x: T.Atom) -> T.Var:
    """The list that represents `x`."""
    assert isinstance(x, T.Var) and isinstance(x.type, RowsType)
    return T.Var(x.name, ListType(x.type.item), x.number)


def transposed(x: T.Atom) -> T.Var:
    """The transpose: the same list, as the items along the other dimension."""
    assert isinstance(x, T.Var) and isinstance(x.type, RowsType)
    return T.Var(x.name, RowsType(x.type.dims[::-1], x.type.mask), x.number)


def facts(ctx: FunctionContext, x: T.Atom) -> Rows:
    """What is known of `x`."""
    assert isinstance(x, T.Var)
    return ctx.rows.get(x.number) or Rows(listed(x))


def count(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Var:
    """How many items `x` has."""
    return length(ctx, facts(ctx, x).like, node)


def size_along(ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int) -> T.Var:
    """The size of `x` along an axis of which only the instance knows it. Where that is so of both,
    the first row tells how many columns there are."""
    if axes(x) == "??" and axis % 2 == 1:
        x = item_at(ctx, node, x, ZERO)
    return count(ctx, node, x)


def as_rows(items: T.Var, item: TensorType) -> T.Var:
    """A list of tensors as the tensor whose rows they are."""
    return T.Var(items.name, RowsType.of(item), items.number)


def item_at(ctx: FunctionContext, node: ast.AST, x: T.Atom, index: T.Atom) -> T.Atom:
    """An item of `x`: read, or recomputed if it is itself a list."""
    row = facts(ctx, x).row
    if row is not None:
        return row(index)
    items = listed(x)
    assert isinstance(items.type, ListType)
    return list_op(ctx, "get", (items, index), items.type.item, node)


def map_items(ctx: FunctionContext, node: ast.AST, sources: Sequence[T.Atom], each: Each) -> T.Var:
    """The list of `each(item, ...)` for the items of `sources`; the instance is at fault if these
    are not equally long."""
    for other in sources[1:]:
        check_length(ctx, node, sources[0], other)
    stop = count(ctx, node, sources[0])
    return map_places(
        ctx, node, stop, lambda at: each(*(item_at(ctx, node, s, at) for s in sources))
    )


def map_places(ctx: FunctionContext, node: ast.AST, stop: T.Atom, item: At) -> T.Var:
    """The list of `item(index)` for the indices below `stop`."""
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        value = item(index)
    body = T.Region(tuple(stmts), T.Yield((value,)))
    items = ctx.computed("rows", ListType(value.type), node)
    ctx.stmts.append(T.Map((items,), index, stop, body, False, ctx.span(node)))
    return items


def mapped(ctx: FunctionContext, node: ast.AST, sources: Sequence[T.Atom], each: Each) -> T.Var:
    """As `map_items`, but as the tensor with these items."""
    items = map_items(ctx, node, sources, each)

    def row(at: T.Atom) -> T.Atom:
        return each(*(item_at(ctx, node, s, at) for s in sources))

    return tensor_of(ctx, node, items, row, facts(ctx, sources[0]).like)


def tensor_of(
    ctx: FunctionContext, node: ast.AST, items: T.Var, row: At, like: T.Var | None
) -> T.Var:
    """The tensor with these items, which `row` can recompute. `like`: an existing list of the same
    length, if there is one."""
    assert isinstance(items.type, ListType) and isinstance(items.type.item, TensorType)
    item = items.type.item
    if len(item.dims) > 1:
        ctx.fail(
            "AC010",
            node,
            f"a {item} for every row: tensors have rank 2 at most",
            "a list of matrices, `[f(row) for row in m]`",
        )
    again = row if isinstance(item, RowsType) else None
    ctx.rows[items.number] = Rows(like or items, row=again)
    return as_rows(items, item)


def column_at(ctx: FunctionContext, node: ast.AST, x: T.Atom, index: T.Atom) -> T.Var:
    """A column of a matrix both sizes of which only the instance knows."""
    rows, number = listed(x), TensorType((), _is_mask(x))
    assert isinstance(rows.type, ListType) and isinstance(rows.type.item, RowsType)
    one = rows.type.item

    def item(i: T.Atom) -> T.Atom:
        row = listed(list_op(ctx, "get", (rows, i), one, node))
        return list_op(ctx, "get", (row, index), number, node)

    items = map_places(ctx, node, count(ctx, node, x), item)
    return tensor_of(ctx, node, items, item, facts(ctx, x).like)


def rows_of_columns(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Var:
    """The transpose of such a matrix. It has a row, whose length says how many columns there
    are."""
    first = item_at(ctx, node, x, ZERO)

    def column(at: T.Atom) -> T.Atom:
        return column_at(ctx, node, x, at)

    columns = map_places(ctx, node, count(ctx, node, first), column)
    return tensor_of(ctx, node, columns, column, facts(ctx, first).like)


def _is_mask(x: T.Atom) -> bool:
    return isinstance(x.type, TensorType) and x.type.mask


def check_length(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> None:
    """The instance is at fault unless `a` is as long as `b`."""
    if facts(ctx, a).like == facts(ctx, b).like:
        return
    m, n = count(ctx, node, a), count(ctx, node, b)
    refuse_sizes(ctx, node, ctx.let(T.Scalar("!=", (m, n)), BOOL, node, "wrong"), m, n)


def refuse_sizes(ctx: FunctionContext, node: ast.AST, wrong: T.Atom, m: T.Atom, n: T.Atom) -> None:
    """The instance is at fault if `wrong` holds: the sizes m and n do not fit."""
    text = "ValueError: a size of "
    refuse(ctx, node, wrong, (text, " meets one of ", f", in `{shown(node)}`"), (m, n))


def refuse(
    ctx: FunctionContext,
    node: ast.AST,
    wrong: T.Atom,
    texts: tuple[str, ...],
    values: tuple[T.Atom, ...] = (),
) -> None:
    """The instance is at fault if `wrong` holds."""
    then, orelse = T.Region((), T.Raise(texts, values)), T.Region((), T.Yield(()))
    ctx.stmts.append(T.If((), wrong, then, orelse, ctx.span(node)))


def refuse_empty(ctx: FunctionContext, node: ast.AST, items: T.Var) -> None:
    """The instance is at fault if there is nothing to stack."""
    empty = ctx.let(T.Scalar("==", (length(ctx, items, node), ZERO)), BOOL, node, "empty")
    refuse(ctx, node, empty, (f"ValueError: `{shown(node)}` of an empty list",))


def reduced(ctx: FunctionContext, node: ast.AST, op: str, x: T.Atom) -> T.Var:
    """The items of `x` joined by `add` or `maximum`, as a tree."""
    (out,) = by_tree(ctx, node, folds([op]), [listed(x)])
    assert isinstance(out, T.Var)
    return out


def by_tree(
    ctx: FunctionContext, node: ast.AST, tree: Tree, lists: Sequence[T.Var]
) -> tuple[T.Atom, ...]:
    """The one item to which the tree reduces each of `lists`."""
    return tree.reduce(Statements(ctx.span(node), ctx.stmts), lists)


def apply(ctx: FunctionContext, node: ast.AST, name: str, *args: T.Atom) -> T.Var:
    """One operation, whose operands have no source of their own."""
    return tensor_op(ctx, name, node, [(node, a) for a in args])


def softmax_over_items(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Var:
    """The softmax over the items of `x`, element by element."""
    largest = reduced(ctx, node, "maximum", x)

    def shifted(item: T.Atom) -> T.Atom:
        return apply(ctx, node, "exp", apply(ctx, node, "sub", item, largest))

    powers = mapped(ctx, node, [x], shifted)
    total = reduced(ctx, node, "add", powers)
    out = mapped(ctx, node, [powers], lambda item: apply(ctx, node, "div", item, total))
    assert isinstance(x, T.Var)
    ctx.rows[out.number] = replace(ctx.rows[out.number], softmax_of=x)
    return out


def wrong_shapes(
    ctx: FunctionContext, name: str, node: ast.AST, operands: Operands, instead: str
) -> NoReturn:
    """The error for operands that do not fit together, or are not supported yet."""
    types = " and ".join(str(a.type) for _, a in operands)
    ctx.fail("AC010", node, f"{name} of {types}", instead)


def axes(x: T.Atom) -> str:
    """For each dimension of `x` a letter: `?` if only the instance knows it, else `n`."""
    assert isinstance(x.type, TensorType)
    return "".join("?" if d == ANY else "n" for d in x.type.dims)
