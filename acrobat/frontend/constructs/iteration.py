"""What may follow `in`: lists, `range`, `enumerate`, `zip`, `reversed`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import INT, ListType, ParamsRef, TensorType, TupleType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import BACK, ONE, ZERO, int_op, length, list_op, make_tuple, tensor_op
from ..iteration_space import IterationSpace
from ..registry import ITERABLES, ITERATED, Arity, Iterable, iterable, iterated
from ..scope import Env
from ..sizes import constant, size_as_number
from ..syntax import names_in
from .arguments import temporary


def iteration_space(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace:
    """What `for ... in node` runs over."""
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


def called(ctx: FunctionContext, node: ast.expr, env: Env) -> Iterable | None:
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


@iterated(TupleType)
def over_tuple(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for x in (a, b)`: the iterations are written out, for the parts have a type each."""
    assert isinstance(items.type, TupleType) and isinstance(items, T.Var)
    types, count = items.type.items, len(items.type.items)

    def item(i: T.Atom) -> T.Atom:
        k = _number(i)
        return ctx.let(T.GetItem(items, k), types[k], node, "part")

    return IterationSpace.count(T.Const(count, INT), item, count)


def _number(i: T.Atom) -> int:
    """The number of an iteration that is written out."""
    assert isinstance(i, T.Const)
    return int(i.value)


@iterated(TensorType)
def over_tensor(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`for row in x`. The iterations over a table of matrices are written out: each has a matrix
    that is a weight of its own."""
    assert isinstance(items.type, TensorType)
    if not items.type.dims:
        ctx.fail("AC017", node, f"a {items.type} has no rows", "`ops.item(x)` for its number")
    rows = size_as_number(ctx, node, items.type.dims[0])

    def item(i: T.Atom) -> T.Atom:
        return tensor_op(ctx, "lookup", node, [(node, items), (node, i)], mask=is_mask(items))

    unrolled = len(items.type.dims) > 2 and rows.value <= MAX_UNROLLED
    return IterationSpace.count(rows, item, int(rows.value) if unrolled else None)


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


def numbering_weights(ctx: FunctionContext, node: ast.For, env: Env) -> IterationSpace | None:
    """The numbers of `for i in range(n)`, written out, if its body chooses weights of a list or
    parts of a tuple by them; None if it does not, or if they are not known."""
    if not isinstance(node.target, ast.Name) or not isinstance(node.iter, ast.Call):
        return None
    call, target = node.iter, node.target.id
    if ctx.static(call.func, env) is not range or not 1 <= len(call.args) <= 3:
        return None
    if not any(_chooses_weights(ctx, n, target, env) for s in node.body for n in ast.walk(s)):
        return None
    bounds = [constant(ctx, arg, env) for arg in call.args]
    if None in bounds or 0 in bounds[2:]:
        return None
    numbers = range(*(b for b in bounds if b is not None))
    if len(numbers) > MAX_UNROLLED:
        return None
    return IterationSpace.count(
        T.Const(len(numbers), INT), lambda i: T.Const(numbers[_number(i)], INT), len(numbers)
    )


def _chooses_weights(ctx: FunctionContext, node: ast.AST, index: str, env: Env) -> bool:
    """Whether `node` is `p.layers[i]` or the like."""
    if not isinstance(node, ast.Subscript) or index not in names_in(node.slice):
        return False
    match node.value:
        case ast.Name(name):
            value = env.names.get(name)
            chosen = value.type if isinstance(value, T.Var) else None
            return type(chosen) is TupleType
        case ast.Attribute(ast.Name(name), field):
            owner = env.names.get(name)
            if not isinstance(owner, T.Var) or not isinstance(owner.type, ParamsRef):
                return False
            variant = ctx.builder.declarations.variants.get(owner.type.name)
            return variant is not None and isinstance(variant.members.get(field), tuple)
    return False


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
    parts = [counted(ctx, a, env) for arg in node.args for a in _written_out(ctx, arg, env)]
    stop = parts[0].stop
    for part in parts[1:]:
        stop = _least(ctx, stop, part.stop, node)
    most = [part.unrolled for part in parts if part.unrolled is not None]
    if most and isinstance(stop, T.Const):
        most.append(int(stop.value))
    return IterationSpace.count(
        stop,
        lambda i: make_tuple(ctx, tuple(part.item(i) for part in parts), node),
        min(most) if most else None,
    )


def _written_out(ctx: FunctionContext, node: ast.expr, env: Env) -> list[ast.expr]:
    """The arguments that one argument stands for: of `*xs` the items, if their number is known."""
    if not isinstance(node, ast.Starred):
        return [node]
    if isinstance(node.value, (ast.List, ast.Tuple)):
        return node.value.elts
    value, text = ctx.peek(node.value, env), ast.unparse(node.value)
    items: list[T.Atom] = []
    if isinstance(value, T.Var) and type(value.type) is TupleType:
        for i, t in enumerate(value.type.items):
            items.append(ctx.let(T.GetItem(value, i), t, node, "part"))
    else:
        made = (s.rhs for s in ctx.stmts if isinstance(s, T.Let) and s.outs == (value,))
        match next(made, None):
            case T.ListOp("make", found) if found:
                items = list(found)
    if not items:
        ctx.fail(
            "AC002",
            node,
            f"`*` of a {value.type}: how many lists that is, is not known",
            "each list by itself, `zip(a, b)`",
        )
    return [temporary(env, f"{text}[{i}]", item, node) for i, item in enumerate(items)]


def _least(ctx: FunctionContext, a: T.Atom, b: T.Atom, node: ast.AST) -> T.Atom:
    if isinstance(a, T.Const) and isinstance(b, T.Const):
        return a if a.value <= b.value else b
    return int_op(ctx, "min", (a, b), node)


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

    return IterationSpace.count(inner.stop, item, inner.unrolled)


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
    if inner.unrolled is not None:
        end = inner.unrolled - 1
        return IterationSpace.count(
            inner.stop, lambda i: inner.item(T.Const(end - _number(i), INT)), inner.unrolled
        )
    last = int_op(ctx, "range_item", (inner.stop, ONE, BACK), node, "last")
    return IterationSpace.count(
        inner.stop, lambda i: inner.item(int_op(ctx, "range_item", (last, i, BACK), node, "i"))
    )
