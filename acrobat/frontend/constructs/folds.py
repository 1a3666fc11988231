"""`sum`, `any` and `all` of lists and generators."""

from __future__ import annotations

import ast
import functools
import operator
from typing import Any, cast

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, NothingType, TensorType
from ..conditions import condition
from ..context import FunctionContext
from ..emit import ZERO, tensor_op
from ..folds import sum_numbers, sum_tensors
from ..iteration_space import IterationSpace
from ..registry import Arity, function
from ..scope import Env
from ..syntax import has_effect
from ..targets import assign
from ..written import call, copied, placed
from .arguments import temporary
from .evaluation_order import loops
from .iteration import iteration_space
from .sequences import listed_numbers


@function(sum)
def sum_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`sum(xs)`, `sum(xs, start)` of numbers or tensors."""
    wrong = [k for k in node.keywords if k.arg != "start"]
    if wrong or not 1 <= len(node.args) + len(node.keywords) <= 2 or not node.args:
        ctx.fail("AC016", node, "sum takes a list, and what to start with", "`sum(xs)`")
    source, *rest = (*node.args, *(k.value for k in node.keywords))
    items = listed_numbers(ctx, source, env)
    start = ctx.expression(rest[0], env) if rest else None
    assert isinstance(items.type, ListType)
    item = items.type.item
    if isinstance(item, NothingType):
        return start if start is not None else ZERO
    if isinstance(item, TensorType):
        if start == ZERO:
            start = None
        if start is not None and start.type in (INT, FLOAT, BOOL, TensorType(())) and item.dims:
            total = sum_tensors(ctx, node, items, None)
            return tensor_op(ctx, "add", node, [(node, total), (node, start)])
        if start is not None and start.type != item:  # with the first item it may be another type
            xs = temporary(env, "the items of a sum", items, node)
            first = temporary(env, "the start of a sum", start, node)
            added = call(functools.reduce, ast.Constant(cast(Any, operator.add)), xs, first)
            return ctx.expression(placed(added, node), env)
        return sum_tensors(ctx, node, items, start)
    begin = ZERO if start is None else start
    if item not in (INT, FLOAT, BOOL) or begin.type not in (INT, FLOAT):
        ctx.fail(
            "AC017",
            source,
            f"the sum of a {items.type}",
            "a list of numbers or tensors; lists are joined by a comprehension with two `for`",
        )
    return sum_numbers(ctx, node, items, begin)


@function(any, Arity(1, 1))
def any_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`any(xs)`: whether an item is true; items after the first true one are not evaluated."""
    return _found(ctx, node, node.args[0], True, env)


@function(all, Arity(1, 1))
def all_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`all(xs)`: whether no item is false."""
    found = _found(ctx, node, node.args[0], False, env)
    if isinstance(found, T.Const):
        return T.Const(not found.value, BOOL)
    return ctx.let(T.Scalar("not", (found,)), BOOL, node, "b")


def _found(
    ctx: FunctionContext, node: ast.Call, source: ast.expr, wanted: bool, env: Env
) -> T.Atom:
    """Whether an item is true, or (not `wanted`) false: a loop that ends at the first such item."""
    if isinstance(source, (ast.Tuple, ast.List)) and not source.elts:
        return T.Const(False, BOOL)
    if isinstance(source, ast.GeneratorExp) and _changes(source):
        return _as_statements(ctx, node, source, wanted, env)
    target: ast.expr = ast.copy_location(ast.Name(_ITEM, ast.Store()), source)
    element: ast.expr = ast.copy_location(ast.Name(_ITEM, ast.Load()), source)
    tests: list[ast.expr] = []
    if isinstance(source, ast.GeneratorExp) and len(source.generators) == 1:
        (generator,) = source.generators
        element, target = source.elt, generator.target
        source, tests = generator.iter, list(generator.ifs)
    elif isinstance(source, ast.GeneratorExp):
        env.names[_ALL] = listed_numbers(ctx, source, env)
        source = ast.copy_location(ast.Name(_ALL, ast.Load()), source)
    if not wanted:
        element = ast.copy_location(ast.UnaryOp(ast.Not(), element), element)
    hit = element
    if tests:
        hit = ast.copy_location(ast.BoolOp(ast.And(), [*tests, element]), element)
    try:
        return _search(ctx, node, source, target, hit, env)
    finally:
        env.names.pop(_ALL, None)


def _changes(source: ast.GeneratorExp) -> bool:
    """Whether an item changes something, or binds a name."""
    tests = [t for g in source.generators for t in (*g.ifs, g.iter)]
    return any(map(has_effect, (source.elt, *tests)))


def _as_statements(
    ctx: FunctionContext, node: ast.Call, source: ast.GeneratorExp, wanted: bool, env: Env
) -> T.Atom:
    """Such a loop as a statement, because it changes something or assigns names:
    `any((w := x) > 2 for x in xs)`."""
    name = f"the result in {node.lineno}:{node.col_offset}"
    found = ast.Name(name, ast.Load())
    source = copied(source)
    hit = source.elt if wanted else ast.UnaryOp(ast.Not(), source.elt)
    end = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(True))
    taken = ast.If(hit, [end, ast.Break()], [])
    loop = loops(source.generators, [taken], after=[ast.If(found, [ast.Break()], [])])
    start = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(False))
    for stmt in (start, loop):
        ctx.statement(placed(stmt, node), env)
    result = ctx.expression(placed(found, node), env)
    del env.names[name]
    return result


_ITEM, _ALL = "an item", "the items"  # names that no model can use


def _search(
    ctx: FunctionContext,
    node: ast.Call,
    source: ast.expr,
    target: ast.expr,
    hit: ast.expr,
    env: Env,
) -> T.Atom:
    space = iteration_space(ctx, source, env)
    if space.unrolled is not None:
        return _one_by_one(ctx, node, space, target, hit, env, 0)
    index, found, out = T.Var("i", INT), T.Var("found", BOOL), T.Var("found", BOOL)
    inner = env.copy()
    apart, ctx.apart = ctx.apart, env.changeable()
    try:
        with ctx.region() as stmts:
            assign(ctx, target, space.item(index), inner)
            holds = condition(ctx, hit, inner)
    finally:
        ctx.apart = apart
    env.owned &= inner.owned
    leave = T.Region((), T.Break((T.Const(True, BOOL),)))
    stmts.append(T.If((), holds, leave, T.Region((), T.Yield(())), ctx.span(node)))
    body = T.Region(tuple(stmts), T.Yield((found,)))
    bounds = (space.start, space.stop, space.step)
    init = T.Const(False, BOOL)
    ctx.stmts.append(T.For((out,), index, *bounds, (found,), (init,), body, ctx.span(node)))
    ctx.origins[out.number] = f"computed in line {ctx.span(node).line}"
    return out


def _one_by_one(
    ctx: FunctionContext,
    node: ast.Call,
    space: IterationSpace,
    target: ast.expr,
    hit: ast.expr,
    env: Env,
    first: int,
) -> T.Atom:
    """Whether one of the items from number `first` on is such an item, where each has its own
    type: `any(f(x) for x in (a, b))`."""
    span, no = ctx.span(node), T.Region((), T.Yield((T.Const(False, BOOL),)))
    yes = T.Region((), T.Yield((T.Const(True, BOOL),)))
    assert space.unrolled is not None
    if first == space.unrolled:
        return T.Const(False, BOOL)
    inner = env.copy()
    with ctx.region() as stmts:
        assign(ctx, target, space.item(T.Const(first, INT)), inner)
        holds = condition(ctx, hit, inner)
        with ctx.region() as rest:
            later = _one_by_one(ctx, node, space, target, hit, env, first + 1)
        either = T.Var("found", BOOL)
        others = T.Region(tuple(rest), T.Yield((later,)))
        ctx.stmts.append(T.If((either,), holds, yes, others, span))
    env.owned &= inner.owned
    if isinstance(space.stop, T.Const):
        ctx.stmts += stmts
        return either
    out = T.Var("found", BOOL)
    there = ctx.let(T.Scalar("<", (T.Const(first, INT), space.stop)), BOOL, node, "b")
    region = T.Region(tuple(stmts), T.Yield((either,)))
    ctx.stmts.append(T.If((out,), there, region, no, span))
    return out
