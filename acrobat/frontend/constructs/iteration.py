"""What may follow `in`: lists, `range`, `enumerate`, `zip`, `reversed`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, ListType
from ..context import FunctionContext
from ..emit import BACK, ONE, ZERO, int_op, length, list_op, make_tuple
from ..iteration_space import IterationSpace
from ..registry import ITERABLES, ITERATED, Arity, Iterable, iterable, iterated
from ..scope import Env


def iteration_space(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace:
    """What `for ... in node` runs over."""
    record = _called(ctx, node, env)
    if record is not None and isinstance(node, ast.Call):
        for keyword in node.keywords:
            if not record.keyword(node, keyword):
                ctx.fail(
                    "AC016",
                    keyword.value,
                    f"{ast.unparse(node.func)} does not take {keyword.arg!r} here",
                    record.instead,
                )
        if record.arity.takes(len(node.args)):
            return record.lower(ctx, node, env)
    items = ctx.peek(node, env)
    handler = ITERATED.get(type(items.type))
    if handler is None:
        ctx.fail(
            "AC017",
            node,
            f"a loop runs over a list or a range, this is {items.type}",
            "a `list[...]`, `range(n)`, or `enumerate`, `zip`, `reversed` of lists",
        )
    return handler(ctx, node, items)


def counted(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace:
    """What `for ... in node` runs over, numbered 0, 1, 2, ..."""
    space = iteration_space(ctx, node, env)
    if space.counts:
        return space
    if not isinstance(space.step, T.Const):
        ctx.fail("AC002", node, "a range with a computed step in here", "a `for` loop")
    start, step = space.start, space.step
    count = int_op(ctx, "range_length", (start, space.stop, step), node)

    def item(i: T.Atom) -> T.Atom:
        return space.item(int_op(ctx, "range_item", (start, i, step), node))

    return IterationSpace.count(count, item)


def lists_of(ctx: FunctionContext, node: ast.expr, env: Env) -> set[str]:
    """The names of the lists that `for ... in node` runs over."""
    if isinstance(node, ast.Name):
        return {node.id}
    record = _called(ctx, node, env)
    if isinstance(node, ast.Call) and record is not None and record.over_lists:
        return set().union(*(lists_of(ctx, a, env) for a in node.args))
    return set()


def _called(ctx: FunctionContext, node: ast.expr, env: Env) -> Iterable | None:
    """The record of the function that `node` calls, if it is one of those that may follow `in`."""
    if not isinstance(node, ast.Call):
        return None
    return ITERABLES.get(id(ctx.static(node.func, env)))


@iterated(ListType)
def over_list(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for x in xs`."""
    assert isinstance(items.type, ListType)
    item = items.type.item
    return IterationSpace.count(
        length(ctx, items, node), lambda i: list_op(ctx, "get", (items, i), item, node)
    )


@iterable(range, Arity(), over_lists=False)
def over_range(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`range(stop)`, `range(start, stop, step)`."""
    if not 1 <= len(node.args) <= 3:
        ctx.fail("AC016", node, f"range takes 1 to 3 arguments, got {len(node.args)}", "range(n)")
    bounds: list[T.Atom] = []
    for arg in node.args:
        bound = ctx.peek(arg, env)
        if bound.type != INT:
            ctx.fail("AC017", arg, f"range takes ints, this is {bound.type}", "an int")
        bounds.append(bound)
    if len(bounds) == 1:
        bounds.insert(0, ZERO)
    start, stop = bounds[:2]
    step = bounds[2] if len(bounds) > 2 else ONE
    if isinstance(step, T.Const) and step.value == 0:
        ctx.fail("AC002", node, "range() with step 0", "a step of 1 or -1")
    return IterationSpace(start, stop, step, lambda i: i)


def _not_strict(node: ast.Call, keyword: ast.keyword) -> bool:
    off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
    return keyword.arg == "strict" and off


@iterable(
    zip,
    Arity(1),
    keyword=_not_strict,
    instead="lists of any length: the shortest one ends the loop",
)
def over_zip(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`zip(xs, ys)`."""
    parts = [counted(ctx, arg, env) for arg in node.args]
    stop = parts[0].stop
    for part in parts[1:]:
        stop = int_op(ctx, "min", (stop, part.stop), node)
    return IterationSpace.count(
        stop, lambda i: make_tuple(ctx, tuple(part.item(i) for part in parts), node)
    )


def _first_number(node: ast.Call, keyword: ast.keyword) -> bool:
    return keyword.arg == "start" and len(node.args) == 1


@iterable(enumerate, Arity(1, 2), keyword=_first_number)
def over_enumerate(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`enumerate(xs)`, `enumerate(xs, start)`."""
    inner = counted(ctx, node.args[0], env)
    first: T.Atom = ZERO
    for source in (*node.args[1:], *(k.value for k in node.keywords)):
        first = ctx.expression(source, env)
        if first.type != INT:
            ctx.fail(
                "AC017", source, f"enumerate counts from an int, this is {first.type}", "an int"
            )

    def item(i: T.Atom) -> T.Atom:
        number = i if first == ZERO else int_op(ctx, "+", (first, i), node, "i")
        return make_tuple(ctx, (number, inner.item(i)), node)

    return IterationSpace.count(inner.stop, item)


@iterable(reversed, Arity(1, 1))
def over_reversed(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`reversed(xs)`, `reversed(range(n))`."""
    (arg,) = node.args
    record = _called(ctx, arg, env)
    if record is not None and record.over_lists:
        ctx.fail(
            "AC017",
            arg,
            f"{ast.unparse(arg)} cannot be reversed, in Python either",
            "the lists themselves, `reversed(xs)` or `xs[::-1]`",
        )
    inner = counted(ctx, arg, env)
    last = int_op(ctx, "range_item", (inner.stop, ONE, BACK), node, "last")
    return IterationSpace.count(
        inner.stop, lambda i: inner.item(int_op(ctx, "range_item", (last, i, BACK), node, "i"))
    )
