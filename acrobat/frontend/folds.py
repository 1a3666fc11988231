"""Folds: one value from all items of a list."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable

from ..ir import typed as T
from ..ir.types import BOOL, FLOAT, INT, ListType, RowsType, TensorType, Type
from .context import FunctionContext
from .emit import ONE, ZERO, length, list_op, tensor_op

Step = Callable[[T.Var, T.Atom], T.Atom]

# From this version on, Python's sum of floats compensates for the rounding errors of additions.
_COMPENSATED = sys.version_info >= (3, 12)


def fold_list(
    ctx: FunctionContext,
    node: ast.AST,
    items: T.Atom,
    init: T.Atom,
    step: Step,
    t: Type,
    first: T.Atom = ZERO,
) -> T.Var:
    """`init`, then `step(so far, item)` for each item of the list `items` from number `first` on:
    the place where sums and products over lists become loops."""
    assert isinstance(items.type, ListType)
    so_far, index, out = T.Var("so_far", t), T.Var("i", INT), T.Var("folded", t)
    stop = length(ctx, items, node)
    with ctx.region() as stmts:
        item = list_op(ctx, "get", (items, index), items.type.item, node)
        new = step(so_far, item)
    body = T.Region(tuple(stmts), T.Yield((new,)))
    span = ctx.span(node)
    ctx.stmts.append(T.For((out,), index, first, stop, ONE, (so_far,), (init,), body, span))
    ctx.origins[out.number] = f"computed in line {span.line}"
    return out


def sum_tensors(ctx: FunctionContext, node: ast.AST, items: T.Atom, start: T.Atom | None) -> T.Var:
    """The sum of a list of tensors: zeros if it is empty; the instance is at fault if these have
    a size that only it knows."""
    assert isinstance(items.type, ListType) and isinstance(items.type.item, TensorType)
    t = items.type.item
    first: T.Atom = ZERO
    if start is None and isinstance(t, RowsType):
        start, first = list_op(ctx, "get", (items, ZERO), t, node), ONE
    if start is None:
        start = tensor_op(ctx, "zeros", node, [], (("shape", t.dims),))

    def step(so_far: T.Var, item: T.Atom) -> T.Atom:
        return tensor_op(ctx, "add", node, [(node, so_far), (node, item)])

    return fold_list(ctx, node, items, start, step, start.type, first)


def sum_numbers(ctx: FunctionContext, node: ast.AST, items: T.Atom, start: T.Atom) -> T.Atom:
    """The sum of a list of numbers or truth values, identical to Python's to the bit."""
    assert isinstance(items.type, ListType)
    t = FLOAT if FLOAT in (items.type.item, start.type) else INT

    def step(so_far: T.Var, item: T.Atom) -> T.Atom:
        if item.type == BOOL:
            item = ctx.let(T.Scalar("int", (item,)), INT, node, "n")
        return ctx.let(T.Scalar("+", (so_far, item)), t, node, "sum")

    if t == FLOAT and _COMPENSATED:
        return _compensated(ctx, node, items, start)
    if t == FLOAT and start.type == INT:
        start = ctx.let(T.Scalar("float", (start,)), FLOAT, node, "n")
    return fold_list(ctx, node, items, start, step, t)


def _compensated(ctx: FunctionContext, node: ast.AST, items: T.Atom, start: T.Atom) -> T.Atom:
    """The sum of floats by Neumaier's algorithm, as Python computes it: `low` is what rounding has
    cut off from `high` so far."""
    assert isinstance(items.type, ListType)

    def number(op: str, *args: T.Atom) -> T.Var:
        t = BOOL if op in (">=", "!=") or op.startswith("math.is") else FLOAT
        return ctx.let(T.Scalar(op, args), t, node, "n")

    index = T.Var("i", INT)
    high, low = T.Var("high", FLOAT), T.Var("low", FLOAT)
    stop = length(ctx, items, node)
    first = start if start.type == FLOAT else number("float", start)
    with ctx.region() as stmts:
        item = list_op(ctx, "get", (items, index), items.type.item, node)
        x = item if item.type == FLOAT else number("float", item)
        total = number("+", high, x)
        larger = number(">=", number("abs", high), number("abs", x))
        lost = T.Var("lost", FLOAT)
        branches = []
        for big, small in ((high, x), (x, high)):
            with ctx.region() as inner:
                cut = number("+", number("-", big, total), small)
            branches.append(T.Region(tuple(inner), T.Yield((cut,))))
        ctx.stmts.append(T.If((lost,), larger, branches[0], branches[1], ctx.span(node)))
        both = number("+", low, lost)
    body = T.Region(tuple(stmts), T.Yield((total, both)))
    outs = (T.Var("high", FLOAT), T.Var("low", FLOAT))
    inits: tuple[T.Atom, ...] = (first, T.Const(0.0, FLOAT))
    ctx.stmts.append(T.For(outs, index, ZERO, stop, ONE, (high, low), inits, body, ctx.span(node)))
    finite, some = number("math.isfinite", outs[1]), number("!=", outs[1], T.Const(0.0, FLOAT))
    usable = ctx.let(T.Scalar("and", (finite, some)), BOOL, node, "b")
    with ctx.region() as then:
        whole = number("+", *outs)
    result = T.Var("sum", FLOAT)
    regions = T.Region(tuple(then), T.Yield((whole,))), T.Region((), T.Yield((outs[0],)))
    ctx.stmts.append(T.If((result,), usable, *regions, ctx.span(node)))
    return result


def greatest(ctx: FunctionContext, node: ast.AST, items: T.Atom) -> T.Var:
    """The index of the largest item of a list of numbers, the first of equals, or of its first NaN;
    the instance is at fault if the list is empty."""
    assert isinstance(items.type, ListType)
    t = items.type.item

    def test(op: str, *args: T.Atom) -> T.Var:
        return ctx.let(T.Scalar(op, args), BOOL, node, "b")

    index, best, at = T.Var("i", INT), T.Var("best", t), T.Var("at", INT)
    stop = length(ctx, items, node)
    first = list_op(ctx, "get", (items, ZERO), t, node)
    with ctx.region() as stmts:
        item = list_op(ctx, "get", (items, index), t, node)
        more = test(">", item, best)
        if t == FLOAT:
            no_number = test("and", test("math.isnan", item), test("==", best, best))
            more = test("or", more, no_number)
        new, there = T.Var("best", t), T.Var("at", INT)
        better = T.Region((), T.Yield((item, index))), T.Region((), T.Yield((best, at)))
        ctx.stmts.append(T.If((new, there), more, *better, ctx.span(node)))
    body = T.Region(tuple(stmts), T.Yield((new, there)))
    outs, inits = (T.Var("best", t), T.Var("at", INT)), (first, ZERO)
    ctx.stmts.append(T.For(outs, index, ONE, stop, ONE, (best, at), inits, body, ctx.span(node)))
    return outs[1]
