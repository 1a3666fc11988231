"""Lists from anything that a loop can run over: `list(...)`, `sorted(...)`, and the arguments of
`sum` and the like, which may be generators."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import NOTHING, ListType, NamedTupleType, NothingType, TupleType
from ..context import FunctionContext
from ..emit import list_op
from ..escaping import may_hold_list
from ..frozen_lists import frozen, items_of_array, thawed
from ..raw_values import is_number
from ..registry import ITERABLES, Arity, expression, function
from ..scope import Env
from ..syntax import mark_fresh, owner_name, viewed
from .number_beside import mark_iterated
from .refused import refuse_expression


def listed(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """The items that `node` stands for after an `in`, as a list."""
    value = copied(ctx, as_list(ctx, node, env), env)
    if not isinstance(value.type, (ListType, NothingType)):
        value = ctx.expression(all_of(node), env)
    value = items_of_array(value)
    if isinstance(value.type, NothingType):  # an error has been reported, or will be
        return list_op(ctx, "make", (), ListType(NOTHING), node)
    return value


def listed_numbers(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """Such a list; if its items are ints and floats, one of floats."""
    items = listed(ctx, node, env)
    datas = ctx.builder.declarations.datas
    if not isinstance(items.type, ListType) or not is_number(datas, items.type.item):
        return items
    env.names[_NUMBERS] = items
    try:
        return ctx.expression(all_of(ast.copy_location(ast.Name(_NUMBERS, ast.Load()), node)), env)
    finally:
        del env.names[_NUMBERS]


def as_list(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """A generator, or a call of `range` or the like, as a list, also as a branch of a conditional
    expression; any other node itself."""
    if isinstance(node, ast.GeneratorExp):
        return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
    if isinstance(node, ast.IfExp):
        sides = as_list(ctx, node.body, env), as_list(ctx, node.orelse, env)
        lengths = [len(s.elts) for s in sides if isinstance(s, ast.Tuple)]
        if len(set(lengths)) > 1:  # `(a, b) if c else ()`
            sides = _list_of(sides[0]), _list_of(sides[1])
        whole = ast.copy_location(ast.IfExp(node.test, *sides), node)
        mark_iterated(whole)  # `xs if c else ()`
        return whole
    if isinstance(node, ast.Call) and id(ctx.static(node.func, env)) in ITERABLES:
        return all_of(node)
    return node


def all_of(node: ast.expr) -> ast.expr:
    """`[x for x in node]`."""
    item = ast.copy_location(ast.Name(_ITEM, ast.Load()), node)
    target = ast.copy_location(ast.Name(_ITEM, ast.Store()), node)
    over = ast.comprehension(target, node, [], 0)
    return ast.copy_location(ast.ListComp(item, [over]), node)


def _list_of(node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.Tuple):
        return node
    return ast.copy_location(ast.List(node.elts, ast.Load()), node)


_ITEM, _NUMBERS = "an item", "the numbers"  # not possible names in a model


def copied(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """The value of `node`; if it is a list, its items go into another list."""
    value = ctx.peek(node, env)
    if isinstance(value.type, ListType) and may_hold_list(value.type.item):
        env.hand_out(viewed(node) or owner_name(node))
    return value


@expression(ast.GeneratorExp)
def generator(ctx: FunctionContext, node: ast.GeneratorExp, env: Env) -> T.Atom:
    """`sum(f(x) for x in xs)`: a generator as an argument of a call; refused anywhere else."""
    refuse_expression(ctx, node, env)


@function(list, Arity(0, 1))
def list_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`list(xs)`."""
    mark_fresh(node)
    if not node.args:
        return ctx.expression(ast.copy_location(ast.List([], ast.Load()), node), env)
    return thawed(listed(ctx, node.args[0], env))


@function(tuple, Arity(1, 1))
def tuple_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`tuple(t)` of a tuple, `tuple(f(x) for x in xs)`: one of any length."""
    (source,) = node.args
    source = as_list(ctx, source, env)
    with ctx.region():
        given = ctx.expression(source, env.copy())
    if type(given.type) in (TupleType, NamedTupleType):
        return ctx.expression(source, env)
    mark_fresh(node)
    return frozen(listed(ctx, source, env))
