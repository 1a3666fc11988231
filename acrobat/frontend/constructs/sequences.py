"""Lists from anything that a loop can run over: `list(...)`, `sorted(...)`, and the arguments of
`sum` and the like, which may be generators."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, NamedTupleType, NothingType, TupleType, Type
from ..context import FunctionContext
from ..decisions import one_element, read_number
from ..emit import length, list_op
from ..registry import ITERABLES, Arity, expression, function
from ..scope import Env
from ..syntax import mark_fresh, owner_name
from .refused import refuse_expression


def listed(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """The items that `node` stands for after an `in`, as a list."""
    value = copied(ctx, as_list(ctx, node, env), env)
    if isinstance(value.type, ListType):
        return value
    return ctx.expression(all_of(node), env)


def as_list(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """A generator, or a call of `range` or the like, as a list, also as a branch of a conditional
    expression; any other node itself."""
    if isinstance(node, ast.GeneratorExp):
        return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
    if isinstance(node, ast.IfExp):
        sides = as_list(ctx, node.body, env), as_list(ctx, node.orelse, env)
        lengths = {len(s.elts) if isinstance(s, ast.Tuple) else None for s in sides}
        if len(lengths) > 1:  # `xs if c else ()`
            sides = _list_of(sides[0]), _list_of(sides[1])
        return ast.copy_location(ast.IfExp(node.test, *sides), node)
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


_ITEM = "an item"  # not a possible name in a model


def copied(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """The value of `node`; if it is a list, its items go into another list."""
    value = ctx.peek(node, env)
    name = owner_name(node)
    nested = isinstance(value.type, ListType) and isinstance(value.type.item, ListType)
    if nested:
        env.hand_out(name)
    return value


@expression(ast.GeneratorExp)
def generator(ctx: FunctionContext, node: ast.GeneratorExp, env: Env) -> T.Atom:
    """Refuse a generator that is not an argument of a call like `sum(f(x) for x in xs)`."""
    refuse_expression(ctx, node, env)


@function(list, Arity(0, 1))
def list_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`list(xs)`."""
    mark_fresh(node)
    if not node.args:
        return ctx.expression(ast.copy_location(ast.List([], ast.Load()), node), env)
    return listed(ctx, node.args[0], env)


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
    return listed(ctx, source, env)


@function(sorted)
def sorted_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`sorted(xs)` of numbers, `sorted(xs, key=f)`, `reverse=True`."""
    backwards = False
    key: ast.expr | None = None
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg == "key":
            key = value
            continue
        if keyword.arg != "reverse" or not isinstance(value, ast.Constant):
            ctx.fail(
                "AC016",
                value,
                f"sorted does not take {keyword.arg!r} here",
                "`sorted(xs)`, `key=f`, or `reverse=True`",
            )
        backwards = bool(value.value)
    if len(node.args) != 1:
        ctx.fail("AC016", node, f"sorted takes 1 argument, got {len(node.args)}", "`sorted(xs)`")
    mark_fresh(node)
    (source,) = node.args
    items = listed(ctx, source, env)
    assert isinstance(items.type, ListType)
    if key is not None and not (isinstance(key, ast.Constant) and key.value is None):
        return _sorted_by(ctx, node, items, key, backwards, env)
    if one_element(T.Var("item", items.type.item)):
        return _sorted_by(ctx, node, items, itself(node), backwards, env)
    if isinstance(items.type.item, NothingType):
        return items
    if items.type.item not in (INT, FLOAT):
        ctx.fail("AC017", source, f"a {items.type} has no order", "a list of numbers, or `key=f`")
    # Equal items keep their order, in a descending sort as well.
    steps = ("reverse", "sort", "reverse") if backwards else ("sort",)
    for op in steps:
        items = list_op(ctx, op, (items,), items.type, node)
    return items


def _sorted_by(
    ctx: FunctionContext,
    node: ast.Call,
    items: T.Atom,
    key: ast.expr,
    backwards: bool,
    env: Env,
) -> T.Atom:
    """Sort the items by their keys."""
    assert isinstance(items.type, ListType)
    t = items.type.item
    if isinstance(t, NothingType):
        return items
    if backwards:
        items = list_op(ctx, "reverse", (items,), items.type, node)
    keys = keys_of(ctx, key, items, env)
    assert isinstance(keys.type, ListType)
    if keys.type.item == BOOL:
        keys = _mapped(ctx, node, keys, INT, lambda k: ctx.let(T.Scalar("int", (k,)), INT, node))
    order = list_op(ctx, "order", (keys,), ListType(INT), node)
    found = _mapped(ctx, node, order, t, lambda i: list_op(ctx, "get", (items, i), t, node))
    return list_op(ctx, "reverse", (found,), found.type, node) if backwards else found


def _mapped(
    ctx: FunctionContext, node: ast.AST, items: T.Atom, t: Type, one: Callable[[T.Atom], T.Atom]
) -> T.Var:
    """`[one(x) for x in items]`, a list of items of type `t`."""
    assert isinstance(items.type, ListType)
    index = T.Var("i", INT)
    with ctx.region() as stmts:
        value = one(list_op(ctx, "get", (items, index), items.type.item, node))
    out = T.Var("items", ListType(t))
    region = T.Region(tuple(stmts), T.Yield((value,)))
    stop = length(ctx, items, node)
    ctx.stmts.append(T.Map((out,), index, stop, region, False, ctx.span(node)))
    return out


def keys_of(ctx: FunctionContext, key: ast.expr, items: T.Atom, env: Env) -> T.Atom:
    """The list of the results, all numbers, of the function `key` for each of `items`."""
    item = ast.Name(_KEYED, ast.Load())
    call: ast.expr = ast.Call(key, [item], [])
    match key:
        case ast.Attribute(ast.Name(name) as owner, "get") if env.is_dict(name):
            # `max(d, key=d.get)`: every key is in the dict.
            call = ast.Subscript(ast.Name(owner.id, ast.Load()), item, ast.Load())
    generator = ast.comprehension(
        ast.Name(_KEYED, ast.Store()), ast.Name(_ALL, ast.Load()), [], is_async=0
    )
    tree = ast.ListComp(call, [generator])
    for inner in ast.walk(tree):
        if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, key)
    env.names[_ALL] = items
    try:
        keys = ctx.expression(tree, env)
    finally:
        env.names.pop(_ALL, None)
    assert isinstance(keys.type, ListType)
    if one_element(T.Var("key", keys.type.item)):
        return _mapped(ctx, key, keys, FLOAT, lambda k: read_number(ctx, k, key))
    if keys.type.item not in (INT, FLOAT, BOOL):
        ctx.fail(
            "AC017",
            key,
            f"a key that is a {keys.type.item}, which has no order",
            "a function whose result is a number",
        )
    return keys


def itself(node: ast.AST) -> ast.Lambda:
    """The key function of tensors of one element, which are ordered by that element."""
    parameter = ast.arguments([], [ast.arg(_KEYED)], None, [], [], None, [])
    found = ast.Lambda(parameter, ast.Name(_KEYED, ast.Load()))
    for part in ast.walk(found):
        ast.copy_location(part, node)
    return found


_KEYED, _ALL = "an item with a key", "the items with keys"  # not possible names
