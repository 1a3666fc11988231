"""The iterables that may follow `in`: lists, `range`, `enumerate`, `zip`, `reversed`."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ...ir import typed as T
from ...ir.types import INT, IntArrayType, ListType, TensorType, TextType, TupleType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import BACK, ONE, ZERO, int_op, length, list_op, make_tuple, tensor_op
from ..function_values import FunctionValue
from ..iteration_space import IterationSpace
from ..presence import not_none
from ..registry import ITERABLES, ITERATED, Arity, Iterable, iterable, iterated
from ..scope import Env
from ..sizes import size_as_number
from ..syntax import has_effect
from ..weight_parts import in_parts
from ..written import call, placed
from .closures import listed_functions
from .int_tables import rows_of_table
from .lazy_iterables import with_lists
from .sequences import all_of, as_list
from .weight_fields import known_test


def iteration_space(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace:
    """The iteration space of `for ... in node`."""
    node = with_lists(node)
    known = known_test(ctx, node.test, env) if isinstance(node, ast.IfExp) else None
    if isinstance(node, ast.IfExp) and known is not None:
        return iteration_space(ctx, node.body if known else node.orelse, env)
    record = called(ctx, node, env)
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
    functions = listed_functions(ctx, node, env)
    if functions is not None:
        return over_functions(ctx, node, functions)
    part = _part_of_table(ctx, node, env) or rows_of_table(ctx, node, env)
    if part is not None:
        return part
    items = _chosen(ctx, node, env) if isinstance(node, ast.IfExp) else ctx.peek(node, env)
    items = in_parts(ctx, node, not_none(ctx, node, items, env))
    handler = ITERATED.get(type(items.type))
    if handler is None:
        ctx.fail(
            "AC017",
            node,
            f"a loop runs over a list or a range, this is {items.type}",
            "a `list[...]`, `range(n)`, or `enumerate`, `zip`, `reversed` of lists",
        )
    return handler(ctx, node, items)


def _part_of_table(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace | None:
    """`for w in p.layers[a:b]` of a table of matrices: the matrices with these numbers."""
    match node:
        case ast.Subscript(
            ast.Attribute(ast.Name()) | ast.Subscript(ast.Name(), ast.Constant(str())) as table,
            ast.Slice(),
        ):
            pass
        case _:
            return None
    items = ctx.peek(table, env)
    if not isinstance(items.type, TensorType) or len(items.type.dims) < 3:
        return None
    rows = size_as_number(ctx, node, items.type.dims[0])
    every = call(range, ast.Constant(int(rows.value)))
    numbers = iteration_space(ctx, placed(ast.Subscript(every, node.slice, ast.Load()), node), env)

    def item(i: T.Atom) -> T.Atom:
        return tensor_op(ctx, "lookup", node, [(node, items), (node, numbers.item(i))])

    return replace(numbers, item=item)


def over_functions(
    ctx: FunctionContext, node: ast.expr, functions: tuple[FunctionValue, ...]
) -> IterationSpace:
    """`for f in (f, g)`: the iterations are unrolled, because each calls its own function."""

    def item(i: T.Atom) -> T.Atom:
        ctx.fail(
            "AC002",
            node,
            f"{ast.unparse(node)} has functions, which are not values here",
            "a loop over them alone, with one name: `for f in fs`",
        )

    count = len(functions)
    return IterationSpace(ZERO, T.Const(count, INT), ONE, item, count, functions=functions)


def _chosen(ctx: FunctionContext, node: ast.IfExp, env: Env) -> T.Atom:
    """`reversed(xs) if c else ys` as a list. The lists are only read, so their names
    still own them, unless the expression has an effect, such as `:=`."""
    owned = set(env.owned)
    value = ctx.expression(as_list(ctx, _with_rows(ctx, node, env), env), env)
    if not has_effect(node):
        env.owned |= owned
    return value


def _with_rows(ctx: FunctionContext, node: ast.IfExp, env: Env) -> ast.IfExp:
    """`node` with a matrix replaced by a list of its rows, if the other side is a call such as
    `reversed(xs)`. Weights cannot be in a list: a graph node that chose between them could not
    share them."""
    sides = [node.body, node.orelse]
    for at, (side, other) in enumerate(zip(sides, sides[::-1], strict=True)):
        if called(ctx, other, env) is None or not isinstance(side, (ast.Name, ast.Attribute)):
            continue
        with ctx.region():
            t = ctx.peek(side, env).type
        if isinstance(t, TensorType) and len(t.dims) == 2:
            sides[at] = all_of(side)
        elif isinstance(t, (TensorType, TupleType)):
            ctx.fail(
                "AC008",
                node,
                f"a loop over weights ({t}) in one of two orders",
                "`if` around two loops, each over its own",
            )
    return ast.copy_location(ast.IfExp(node.test, *sides), node)


def counted(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace:
    """The iteration space of `for ... in node`, numbered 0, 1, 2, ..."""
    space = iteration_space(ctx, node, env)
    if space.counts:
        return space
    if not isinstance(space.step, T.Const):
        ctx.fail("AC002", node, "a range with a computed step in here", "a `for` loop")
    start, step = space.start, space.step
    count = int_op(ctx, "range_length", (start, space.stop, step), node)

    def item(i: T.Atom) -> T.Atom:
        return space.item(int_op(ctx, "range_item", (start, i, step), node))

    return IterationSpace.count(count, item, endless=space.endless)


def called(ctx: FunctionContext, node: ast.expr, env: Env) -> Iterable | None:
    """The record of the function that `node` calls, if it is one of those that may follow `in`."""
    if not isinstance(node, ast.Call):
        return None
    return ITERABLES.get(id(ctx.static(node.func, env)))


@iterated(IntArrayType)
@iterated(ListType)
def over_list(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for x in xs`."""
    assert isinstance(items.type, ListType)
    item = items.type.item
    return IterationSpace.count(
        length(ctx, items, node), lambda i: list_op(ctx, "get", (items, i), item, node)
    )


@iterated(TupleType)
def over_tuple(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for x in (a, b)`: the iterations are unrolled, because each part has its own type."""
    assert isinstance(items.type, TupleType) and isinstance(items, T.Var)
    types, count = items.type.items, len(items.type.items)
    known = ctx.parts.get(items.number)

    def item(i: T.Atom) -> T.Atom:
        k = number_in_loop(i)
        if known and (isinstance(types[k], (TupleType, TextType)) or isinstance(known[k], T.Const)):
            return known[k]
        return ctx.let(T.GetItem(items, k), types[k], node, "part")

    return IterationSpace.count(T.Const(count, INT), item, count)


def number_in_loop(i: T.Atom) -> int:
    """The number of an unrolled iteration."""
    assert isinstance(i, T.Const)
    return int(i.value)


@iterated(TensorType)
def over_tensor(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for row in x`. Iterations over a table of matrices are unrolled: in each, the matrix is a
    separate weight."""
    assert isinstance(items.type, TensorType)
    if not items.type.dims:
        ctx.fail("AC017", node, f"a {items.type} has no rows", "`ops.item(x)` for its number")
    rows = size_as_number(ctx, node, items.type.dims[0])

    def item(i: T.Atom) -> T.Atom:
        return tensor_op(ctx, "lookup", node, [(node, items), (node, i)], mask=is_mask(items))

    unrolled = len(items.type.dims) > 2 and rows.value <= MAX_UNROLLED
    return IterationSpace.count(rows, item, int(rows.value) if unrolled else None)


@iterable(np.arange, Arity(), over_lists=False)
@iterable(range, Arity(), over_lists=False)
def over_range(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`range(stop)`, `range(start, stop, step)`."""
    if not 1 <= len(node.args) <= 3:
        ctx.fail("AC016", node, f"range takes 1 to 3 arguments, got {len(node.args)}", "range(n)")
    bounds: list[T.Atom] = []
    for arg in node.args:
        bound = not_none(ctx, arg, ctx.peek(arg, env), env)
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
        number = i if first == ZERO else _added(ctx, first, i, node)
        return make_tuple(ctx, (number, inner.item(i)), node)

    return IterationSpace.count(inner.stop, item, inner.unrolled, inner.endless)


def _added(ctx: FunctionContext, a: T.Atom, b: T.Atom, node: ast.AST) -> T.Atom:
    if isinstance(a, T.Const) and isinstance(b, T.Const):
        return T.Const(a.value + b.value, INT)
    return int_op(ctx, "+", (a, b), node, "i")


@iterable(reversed, Arity(1, 1))
def over_reversed(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`reversed(xs)`, `reversed(range(n))`."""
    (arg,) = node.args
    record = called(ctx, arg, env)
    if record is not None and record.over_lists:
        ctx.fail(
            "AC017",
            arg,
            f"{ast.unparse(arg)} cannot be reversed, in Python either",
            "the lists themselves, `reversed(xs)` or `xs[::-1]`",
        )
    inner = counted(ctx, arg, env)
    if inner.of_object:
        ctx.fail(
            "AC017",
            arg,
            f"`reversed` of an object, {ast.unparse(arg)}: Python does not reverse its `__iter__`",
            "`list(x)[::-1]`, or a method that returns a list",
        )
    if inner.unrolled is not None:
        end = inner.unrolled - 1
        return IterationSpace.count(
            inner.stop,
            lambda i: inner.item(T.Const(end - number_in_loop(i), INT)),
            inner.unrolled,
        )
    last = int_op(ctx, "range_item", (inner.stop, ONE, BACK), node, "last")
    return IterationSpace.count(
        inner.stop, lambda i: inner.item(int_op(ctx, "range_item", (last, i, BACK), node, "i"))
    )
