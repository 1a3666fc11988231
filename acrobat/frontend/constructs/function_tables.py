"""Functions in a dict, list or tuple that the module or a class defines: `ACTIVATIONS["tanh"](x)`.

A key that is known at compile time selects the function. For a key or an index that only the
instance knows, each of the functions is called in a separate branch.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from typing import Any

from ...ir import typed as T
from ...ir.types import INT, TEXT, MemberType
from ..context import MISSING, FunctionContext
from ..function_values import FunctionTable
from ..scope import Env
from ..sizes import literal
from ..templates import template
from ..written import placed
from .arguments import temporary
from .key_choice import Key, chosen_by_key, written

Table = dict[Any, Any] | list[Any] | tuple[Any, ...]  # of objects, or of function values


def function_table(ctx: FunctionContext, node: ast.expr, env: Env) -> Table | None:
    """The table of functions that `node` stands for, if it is one."""
    local = env.names.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(local, FunctionTable):
        return local.table
    found = ctx.static(node, env)
    if not isinstance(found, (dict, list, tuple)) or not found:
        return None
    values = found.values() if isinstance(found, dict) else found
    return found if all(map(callable, values)) else None


def chosen_function(ctx: FunctionContext, node: ast.Subscript, env: Env) -> Any:
    """The function that `node` takes from a table by a key known at compile time; MISSING if `node`
    does something else, or if the key is not known."""
    table = function_table(ctx, node.value, env)
    key = MISSING if table is None else known_key(ctx, node.slice, env)
    if table is None or key is MISSING:
        return MISSING
    try:
        found = table[key]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        keys = table if isinstance(table, dict) else range(len(table))
        ctx.fail(
            "AC014",
            node.slice,
            f"{ast.unparse(node.value)} has no key {key!r}",
            f"its keys are {', '.join(map(repr, keys))}",
        )
    return found


def known_key(ctx: FunctionContext, node: ast.expr, env: Env) -> Any:
    """A key that is known at compile time; MISSING if it is not."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp):
        number = literal(ctx, node)
        return MISSING if number is None else number
    local = env.names.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(local, T.Const) and isinstance(local.type, MemberType):
        return local.type.members[int(local.value)]
    if isinstance(local, T.Const) and local.type in (INT, TEXT):
        return str(local.value) if local.type == TEXT else local.value
    return ctx.static(node, env)


def by_run_time_key(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom | None:
    """Lower `TABLE[key](x)`, with a key that only the instance knows, as `TABLE[a](x) if key == a
    else ...`; for any other key the instance is at fault. None for any other call."""
    if not isinstance(node.func, ast.Subscript):
        return None
    func = node.func
    table = function_table(ctx, func.value, env)
    if table is None or known_key(ctx, func.slice, env) is not MISSING:
        return None
    text = ast.unparse(func.value)

    def call(k: Key) -> ast.expr:
        return ast.Call(ast.Subscript(func.value, written(k), ast.Load()), node.args, node.keywords)

    if not isinstance(table, dict):
        return _by_index(ctx, node, func, len(table), call, env)
    keys = list(table)
    if not all(isinstance(k, (int, str, enum.Enum)) for k in keys):
        ctx.fail(
            "AC002",
            func.value,
            f"the keys of {text} are {', '.join(sorted({type(k).__name__ for k in keys}))}",
            "strings, ints or members of an enumeration",
        )
    return chosen_by_key(ctx, node, text, func.slice, keys, call, env)


def _by_index(
    ctx: FunctionContext,
    node: ast.Call,
    func: ast.Subscript,
    n: int,
    call: Callable[[Key], ast.expr],
    env: Env,
) -> T.Atom:
    """The same for a list or tuple of `n` functions."""
    text = ast.unparse(func.value)
    value = ctx.expression(func.slice, env)
    if value.type != INT:
        ctx.fail(
            "AC017", func.slice, f"an index of {text} is an int, this is {value.type}", "an int"
        )
    given = temporary(env, ast.unparse(func.slice), value, func.slice)
    index = placed(template("i + n if i < 0 else i", i=given, n=ast.Constant(n)), func.slice)
    fault = f"IndexError: {text} has {n} functions, and none at index "
    return chosen_by_key(ctx, node, text, index, range(n), call, env, fault)
