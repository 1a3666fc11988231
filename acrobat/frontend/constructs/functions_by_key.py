"""A function that the instance chooses from a table, under a name or as an argument:
`f = ACTIVATIONS[kind]`, `ACTIVATIONS.get(kind, np.tanh)`, then `f(x)`."""

from __future__ import annotations

import ast

from ..conditions import condition
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionValue
from ..scope import Env
from ..written import placed
from .chosen_functions import arguments_of, between, given_names, tree_of_choice
from .closures import function_value, of_named_table
from .function_tables import function_table, known_key
from .key_choice import one_of_keys

_KEY = "the key of a function"  # no name that a model can have


def function_by_key(ctx: FunctionContext, node: ast.expr, env: Env) -> FunctionValue | None:
    """The function that `node` takes from a dict of functions by a key that only the instance
    knows; the instance is at fault if there is no such key. None if `node` does something else, or
    if the functions take different numbers of arguments."""
    match node:
        case ast.Subscript():
            return _at_key(ctx, of_named_table(ctx, node, env), env)
        case ast.Call(ast.Attribute(table, "get"), [key, default], []):
            item = placed(ast.Subscript(table, key, ast.Load()), node)
            there = placed(ast.Compare(key, [ast.In()], [table]), node)
            if not _is_by_key(ctx, item, env):
                return None
            return _chosen(ctx, node, ast.IfExp(there, item, default), env)
        case ast.IfExp():
            return _chosen(ctx, node, node, env)
    return None


def _is_by_key(ctx: FunctionContext, node: ast.Subscript, env: Env) -> bool:
    """Whether `node` takes a function by a name, which may be read although it is not needed."""
    if not isinstance(node.slice, (ast.Name, ast.Attribute)):
        return False
    table = function_table(ctx, node.value, env)
    return isinstance(table, dict) and known_key(ctx, node.slice, env) is MISSING


def _chosen(
    ctx: FunctionContext, node: ast.expr, choice: ast.IfExp, env: Env
) -> FunctionValue | None:
    """`TABLE[key] if c else f`, where at least one side is chosen by a key."""
    sides = (choice.body, choice.orelse)
    if not any(isinstance(s, ast.Subscript) and _is_by_key(ctx, s, env) for s in sides):
        return None
    holds = condition(ctx, choice.test, env)
    values = [
        _at_key(ctx, s, env, checked=False)
        if isinstance(s, ast.Subscript) and _is_by_key(ctx, s, env)
        else function_value(ctx, s, env)
        for s in sides
    ]
    first, second = values
    if first is None or second is None:
        return None
    return between(ctx, node, holds, first, second)


def _at_key(
    ctx: FunctionContext, node: ast.Subscript, env: Env, checked: bool = True
) -> Closure | None:
    """`TABLE[key]`; where it may not be evaluated (not `checked`), the key is looked up when the
    function is called."""
    table = function_table(ctx, node.value, env)
    if not isinstance(table, dict) or known_key(ctx, node.slice, env) is not MISSING:
        return None
    counts = {arguments_of(f) for f in table.values()}
    if len(counts) != 1 or None in counts:
        return None
    (count,) = counts
    assert count is not None
    given, taken = given_names(count)
    func = ast.Subscript(node.value, ast.Name(_KEY, ast.Load()), ast.Load())
    tree = tree_of_choice(node, ast.Call(func, given, []), taken)
    if checked:
        key = one_of_keys(ctx, node, ast.unparse(node.value), node.slice, list(table), env)
        captured = {_KEY: env.names[key.id]}
    else:
        captured = {_KEY: ctx.expression(node.slice, env)}
    return Closure(tree, ctx.source, ctx.signature.model, captured, complete=False)
