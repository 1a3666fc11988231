"""Weights that the instance chooses by a number, a string or a condition: `p.experts[k]`,
`p.cells[node.kind]`, `a if c else b`. constructs/weight_uses.py lowers their uses."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.type_queries import run_time_value
from ...ir.types import INT, KeyedType, ListType, TensorType, TupleType, Type
from ..conditions import condition
from ..context import FunctionContext
from ..emit import list_op
from ..joined_weights import as_choice, joined_choice, number_of, read_again
from ..looking import looked_at
from ..narrowing import narrow
from ..scope import Env, Recover
from ..sizes import constant
from ..syntax import has_effect, names_in
from ..weight_choice import WeightChoice
from ..weight_parts import in_parts, weight_keys
from .arguments import temporary
from .key_choice import one_of_keys, placed
from .key_patterns import possible_keys
from .lists import list_item
from .weight_fields import known_test, known_text

Write = Callable[[ast.expr], ast.expr]


def chosen_weights(ctx: FunctionContext, node: ast.expr, env: Env) -> WeightChoice | None:
    """The choice between weights that `node` stands for; None if it stands for something else."""
    if not _may_choose(node, env):
        return None
    match node:
        case ast.Name(name):
            found = env.names[name]
            return found if isinstance(found, WeightChoice) else None
        case ast.IfExp():
            return _of_branches(ctx, node, env)
        case ast.Attribute(value, attr):
            return _of_each(ctx, value, lambda w: ast.Attribute(w, attr, ast.Load()), node, env)
        case ast.Subscript(value, index):
            if _may_choose(value, env):
                return _of_each(
                    ctx, value, lambda w: ast.Subscript(w, index, ast.Load()), node, env
                )
            return _of_table(ctx, node, env)
    return None


def _may_choose(node: ast.expr, env: Env) -> bool:
    """Whether `node` has a form by which the instance may choose weights."""
    match node:
        case ast.Name(name):
            return isinstance(env.names.get(name), WeightChoice)
        case ast.IfExp(_, body, orelse):
            return of_weights(body, env) and of_weights(orelse, env)
        case ast.Attribute(value):
            return _may_choose(value, env)
        case ast.Subscript(value, index):
            chosen = not isinstance(index, (ast.Constant, ast.Slice, ast.Tuple))
            return _may_choose(value, env) or (chosen and of_weights(value, env))
    return False


def of_weights(node: ast.expr, env: Env) -> bool:
    """Whether `node` stands for weights or a part of them."""
    match node:
        case ast.Name(name):
            found = env.names.get(name)
            if isinstance(found, T.Var):
                return not run_time_value(found.type)
            return isinstance(found, WeightChoice)
        case ast.Attribute(value) | ast.Subscript(value):
            return of_weights(value, env)
        case ast.IfExp(_, body, orelse):
            return of_weights(body, env) and of_weights(orelse, env)
    return False


def _of_each(
    ctx: FunctionContext, source: ast.expr, write: Write, node: ast.expr, env: Env
) -> WeightChoice | None:
    """The choice between the same part of each of several weights, as `write` writes it; None if
    the part is a tensor or a number."""
    of = chosen_weights(ctx, source, env)
    if of is None:
        return None
    inner = env.copy()
    found: list[T.Var] = []
    for w in of.weights:
        name = temporary(inner, "weights", read_again(ctx, w, node), node)
        value = part_or_none(ctx, placed(write(name), node), inner)
        if not isinstance(value, T.Var) or run_time_value(value.type):
            return None
        found.append(value)
    texts = tuple(ast.unparse(write(ast.Name(t, ast.Load()))) for t in of.texts)
    return WeightChoice(of.selector, of.keys, tuple(found), texts)


def part_or_none(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom | None:
    """The value of `node`, which only reads weights; None if it has an error, which is reported
    when the whole expression is lowered."""
    errors = len(ctx.reporter.errors)
    try:
        return ctx.peek(node, env)
    except Recover:
        del ctx.reporter.errors[errors:]
        return None


def _of_table(ctx: FunctionContext, node: ast.Subscript, env: Env) -> WeightChoice | None:
    """`p.layers[i]`, `p.cells[k]` with a number or a string of the instance."""
    if known_text(ctx, node.slice, env) is not None:
        return None
    with ctx.region() as stmts:
        table = part_or_none(ctx, node.value, env)
        known = None if table is None else weight_keys(ctx, table)
        named = None if known is None else possible_keys(ctx, node.slice, known, env)
        table = None if table is None else in_parts(ctx, node.value, table, named)
    if not isinstance(table, T.Var) or type(table.type) not in (TupleType, KeyedType):
        return None
    assert isinstance(table.type, (TupleType, KeyedType))
    types = table.type.items
    if not types or not _alike(types):
        return None
    text = ast.unparse(node.value)
    keys: tuple[int | str, ...]
    if isinstance(table.type, KeyedType):
        key = looked_at(ctx, node.slice, env)
        of_one_shape = isinstance(types[0], TensorType) and len(set(types)) == 1
        if of_one_shape or key is None or isinstance(key, T.Const):
            return None
        if key.type != table.type.key:
            return None
        _check_index(ctx, node)
        ctx.stmts += stmts
        keys = table.type.keys
        selector = ctx.expression(one_of_keys(ctx, node, text, node.slice, keys, env), env)
    else:
        if constant(ctx, node.slice, env) is not None:
            return None
        _check_index(ctx, node)
        ctx.stmts += stmts
        keys = tuple(range(len(types)))
        numbers = list_op(
            ctx, "make", tuple(T.Const(i, INT) for i in range(len(types))), ListType(INT), node
        )
        selector = list_item(ctx, node, numbers, env)
    weights = tuple(ctx.let(T.GetItem(table, i), t, node, "part") for i, t in enumerate(types))
    return WeightChoice(selector, keys, weights, tuple(f"{text}[{k!r}]" for k in keys))


def _check_index(ctx: FunctionContext, node: ast.Subscript) -> None:
    """Refuse an index that changes something: a choice may be looked at several times."""
    if has_effect(node.slice):
        index, text = ast.unparse(node.slice), ast.unparse(node.value)
        ctx.fail(
            "AC015",
            node.slice,
            f"{index} changes something, and chooses weights",
            f"a name for it before, `k = {index}`, and `{text}[k]`",
        )


def _alike(types: tuple[Type, ...]) -> bool:
    """Whether weights of these types can stand for each other: all have parts, or all are
    tensors."""
    if isinstance(types[0], TensorType):
        return all(isinstance(t, TensorType) for t in types)
    return not any(map(run_time_value, types))


def _of_branches(ctx: FunctionContext, node: ast.IfExp, env: Env) -> WeightChoice | None:
    """`a if c else b`."""
    for branch in (node.body, node.orelse):
        with ctx.region():
            if _choice(ctx, branch, env.copy()) is None:
                return None
    known = known_test(ctx, node.test, env)
    cond = condition(ctx, node.test, env) if known is None else T.Const(known, INT)
    if isinstance(cond, T.Const):
        return _choice(ctx, node.body if cond.value else node.orelse, env)
    choices: list[WeightChoice] = []
    regions: list[T.Region] = []
    for holds, branch in ((True, node.body), (False, node.orelse)):
        inner = env.copy()
        with ctx.region() as stmts:
            stmts += narrow(ctx, node.test, holds, inner, names_in(branch))
            choice = _choice(ctx, branch, inner)
            if choice is None:
                raise Recover
            first = sum(len(c.keys) for c in choices)
            number = number_of(ctx, node, choice, first)
        choices.append(choice)
        regions.append(T.Region(tuple(stmts), T.Yield((number,))))
    out = T.Var("choice", INT)
    ctx.stmts.append(T.If((out,), cond, regions[0], regions[1], ctx.span(node)))
    return joined_choice(out, choices)


def _choice(ctx: FunctionContext, node: ast.expr, env: Env) -> WeightChoice | None:
    """The weights that `node` stands for, chosen or fixed; None if it does not stand for any."""
    found = chosen_weights(ctx, node, env)
    if found is not None:
        return found
    value = part_or_none(ctx, node, env)
    return None if value is None else as_choice(ctx, value, ast.unparse(node))
