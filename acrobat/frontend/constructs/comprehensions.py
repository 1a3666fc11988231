"""Comprehensions: their iterations are independent."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.type_queries import has_no_value, run_time_value
from ...ir.types import INT, NO_TUPLES, NOTHING, ListType, TupleType
from ..conditions import condition
from ..context import FunctionContext
from ..emit import ZERO, known_length, length, list_op
from ..escaping import lend, own_items
from ..narrowing import narrow
from ..never_run import never_run
from ..registry import expression
from ..scope import Env, Undefined
from ..syntax import names_bound, names_in, view_owners
from ..targets import assign
from .items_in_turn import in_turn, passes_on
from .iterated_lists import lists_of
from .iteration import counted
from .lists import refuse_weights
from .numbered_weights import written_out
from .unrolled_comprehensions import unrolled


@expression(ast.ListComp)
def comprehension(ctx: FunctionContext, node: ast.ListComp, env: Env) -> T.Var:
    """`[f(x) for x in xs if c]`, `[x for row in rows for x in row]`."""
    if passes_on(ctx, node):
        return in_turn(ctx, node, env)
    generator, *more = node.generators
    if more:
        return _flattened(ctx, node, generator, more, env)
    if generator.is_async:
        ctx.fail("AC002", node, "`async` is not part of the language", "a plain `for`")
    if generator.ifs:
        over = _parts_as_list(ctx, generator.iter, env)
        generator = ast.comprehension(generator.target, over, generator.ifs, 0)
    items = own_items(lists_of(ctx, generator.iter, env), env)
    views = view_owners(generator.iter) & env.owned
    space = counted(ctx, generator.iter, env)
    if space.endless:
        ctx.fail(
            "AC002",
            generator.iter,
            f"{ast.unparse(generator.iter)} has no end, and all items are computed at once",
            "a `for` loop over it, with `break` or `return`",
        )
    env.owned |= items | views
    if space.unrolled is None:
        space = written_out(ctx, generator, [node.elt, *generator.ifs], env) or space
    if space.unrolled is not None:
        return unrolled(ctx, node, generator, space, env)
    index = T.Var("i", INT)
    inner = env.copy()
    for name in names_bound(node):  # an iteration knows nothing of what another one has bound
        inner.names[name] = Undefined(ctx.span(node))
    inner.shadow(names_in(generator.target))
    apart, ctx.apart = ctx.apart, env.changeable()
    try:
        with never_run(ctx, generator.iter, space, inner) as skipped, ctx.region() as stmts:
            assign(ctx, generator.target, space.item(index), inner)
            lend(generator.target, items, inner)
            if generator.ifs:
                test = generator.ifs[0]
                if len(generator.ifs) > 1:
                    test = ast.copy_location(ast.BoolOp(ast.And(), list(generator.ifs)), node)
                value, end = _kept(ctx, node, test, inner)
            else:
                value = ctx.expression(node.elt, inner)
                end = T.Yield((value,))
    finally:
        ctx.apart = apart
    env.owned &= inner.owned
    for name in names_bound(node):
        env.names[name] = Undefined(ctx.span(node))
    if skipped:
        return list_op(ctx, "make", (), ListType(NOTHING), node)
    body = T.Region(tuple(stmts), end)
    refuse_weights(ctx, node.elt, value)
    if generator.ifs:
        return _filtered(ctx, node, index, space.stop, body, value)
    out = T.Var("items", ListType(value.type))
    known = known_length(ctx, space.stop)
    if known is not None:
        ctx.lengths[out.number] = known
    ctx.stmts.append(T.Map((out,), index, space.stop, body, False, ctx.span(node)))
    return out


def _parts_as_list(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """`(a, b)`, or a name of a tuple, as the list of its parts: only the instance knows how many of
    them a filter keeps. Anything else, and a tuple of weights, as it is."""
    if not isinstance(node, (ast.Tuple, ast.Name, ast.Attribute)):
        return node
    with ctx.region():
        t = ctx.peek(node, env.copy()).type
    if not isinstance(t, TupleType) or isinstance(t, NO_TUPLES):
        return node
    if not all(map(run_time_value, t.items)):
        return node
    parts: list[ast.expr] = [ast.Starred(node, ast.Load())]
    parts = node.elts if isinstance(node, ast.Tuple) else parts
    return ast.copy_location(ast.List(parts, ast.Load()), node)


def _flattened(
    ctx: FunctionContext,
    node: ast.ListComp,
    outer: ast.comprehension,
    more: list[ast.comprehension],
    env: Env,
) -> T.Var:
    """`[x for row in rows for x in row]`: the lists of all rows, one after the other."""
    inner = ast.copy_location(ast.ListComp(node.elt, more), node)
    rows = ctx.expression(ast.copy_location(ast.ListComp(inner, [outer]), node), env)
    if isinstance(rows.type, ListType) and isinstance(rows.type.item, ListType):
        return list_op(ctx, "flatten", (rows,), rows.type.item, node)
    assert has_no_value(rows.type) or rows.type == ListType(NOTHING)
    return list_op(ctx, "make", (), ListType(NOTHING), node)


def _kept(
    ctx: FunctionContext, node: ast.ListComp, test: ast.expr, env: Env
) -> tuple[T.Atom, T.Yield]:
    """The element in a list of one item where the filter holds; else an empty list: an element must
    not be computed where the filter excludes it."""
    keep = condition(ctx, test, env)
    with ctx.region() as then:
        then += narrow(ctx, test, True, env, names_in(node.elt))
        value = ctx.expression(node.elt, env)
        one = list_op(ctx, "make", (value,), ListType(value.type), node)
    with ctx.region() as orelse:
        none = list_op(ctx, "make", (), ListType(value.type), node)
    out = T.Var("kept", ListType(value.type))
    branches = T.Region(tuple(then), T.Yield((one,))), T.Region(tuple(orelse), T.Yield((none,)))
    ctx.stmts.append(T.If((out,), keep, *branches, ctx.span(node)))
    return out, T.Yield((keep, out))


def _filtered(
    ctx: FunctionContext,
    node: ast.ListComp,
    index: T.Var,
    count: T.Atom,
    body: T.Region,
    kept: T.Atom,
) -> T.Var:
    """The items that were kept, taken out of their one-item lists."""
    lists = T.Var("kept", ListType(kept.type))
    ctx.stmts.append(T.Map((lists,), index, count, body, True, ctx.span(node)))
    assert isinstance(kept.type, ListType)
    again, i = T.Var("items", kept.type), T.Var("i", INT)
    with ctx.region() as stmts:
        one = list_op(ctx, "get", (lists, i), kept.type, node)
        item = list_op(ctx, "get", (one, ZERO), kept.type.item, node)
    region = T.Region(tuple(stmts), T.Yield((item,)))
    number = length(ctx, lists, node)
    ctx.stmts.append(T.Map((again,), i, number, region, False, ctx.span(node)))
    return again
