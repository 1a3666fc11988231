"""A function that the instance chooses from a table, under a name: `f = ACTIVATIONS[kind]`, then
`f(x)`."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np

from ...lang.model import Model
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionTable, FunctionValue
from ..scope import Env
from ..syntax import parameters
from ..written import placed
from .closures import function_value, local_table, of_named_table
from .function_tables import function_table, known_key
from .key_choice import one_of_keys
from .named_attributes import attribute_or_default

_KEY = "the key of a function"  # no name that a model can have
_TREE = "_acrobat_function_at_key"  # an attribute of the expression: one tree, so one function


def named_function(
    ctx: FunctionContext, node: ast.expr, env: Env
) -> FunctionValue | FunctionTable | None:
    """The function, or the table of functions, that an assignment gives a name to; None if its
    value is neither."""
    if isinstance(node, ast.Call) and ctx.static(node.func, env) is getattr:
        read = attribute_or_default(ctx, node, env)
        return function_value(ctx, read, env)
    return (
        function_value(ctx, node, env)
        or local_table(ctx, node, env)
        or _function_at_key(ctx, node, env)
    )


def _function_at_key(ctx: FunctionContext, node: ast.expr, env: Env) -> Closure | None:
    """The function that `node` takes from a dict of functions by a key that only the instance
    knows; the instance is at fault if there is no such key. None if `node` does something else, or
    if the functions take different numbers of arguments."""
    if not isinstance(node, ast.Subscript):
        return None
    node = of_named_table(ctx, node, env)
    table = function_table(ctx, node.value, env)
    if not isinstance(table, dict) or known_key(ctx, node.slice, env) is not MISSING:
        return None
    counts = {_arguments_of(f) for f in table.values()}
    if len(counts) != 1 or None in counts:
        return None
    (count,) = counts
    assert count is not None
    tree = getattr(node, _TREE, None)
    if tree is None:
        given = [f"x{i}" for i in range(count)]
        func = ast.Subscript(node.value, ast.Name(_KEY, ast.Load()), ast.Load())
        called = ast.Call(func, [ast.Name(n, ast.Load()) for n in given], [])
        taken = ast.arguments([], [ast.arg(n) for n in given], None, [], [], None, [])
        tree = placed(ast.FunctionDef("chosen", taken, [ast.Return(called)], [], None), node)
        setattr(node, _TREE, tree)
    key = one_of_keys(ctx, node, ast.unparse(node.value), node.slice, list(table), env)
    captured = {_KEY: env.names[key.id]}
    return Closure(tree, ctx.source, ctx.signature.model, captured, complete=False)


def _arguments_of(function: Any) -> int | None:
    """How many arguments a function takes; None if that may differ from call to call."""
    if isinstance(function, np.ufunc):
        return function.nin
    if isinstance(function, Closure):
        args = function.tree.args
        fixed = not (args.defaults or args.kwonlyargs or args.vararg or args.kwarg)
        return len(parameters(function.tree)) if fixed else None
    if isinstance(function, Model):
        function = function.function
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    fixed = all(
        p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        for p in given
    )
    return len(given) if fixed else None
