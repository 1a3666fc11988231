"""Imports inside of a function, and `global` of what the function only reads."""

from __future__ import annotations

import ast
import importlib
import types
from typing import Any

from ..context import FunctionContext
from ..function_values import Named
from ..registry import statement
from ..scope import Env
from ..syntax import names_assigned
from .constants import outside_value


@statement(ast.Import)
def import_(ctx: FunctionContext, node: ast.Import, env: Env) -> None:
    """`import math`, `import numpy as np`."""
    for alias in node.names:
        whole = _module(ctx, node, alias.name)
        first = alias.name.split(".")[0]
        env.names[alias.asname or first] = Named(
            whole if alias.asname else _module(ctx, node, first)
        )


@statement(ast.ImportFrom)
def import_from(ctx: FunctionContext, node: ast.ImportFrom, env: Env) -> None:
    """`from itertools import pairwise`."""
    module = _module(ctx, node, "." * node.level + (node.module or ""))
    for alias in node.names:
        if not hasattr(module, alias.name):
            ctx.fail(
                "AC011",
                node,
                f"{node.module} has no {alias.name}",
                "a name that it has",
            )
        name, found = alias.asname or alias.name, getattr(module, alias.name)
        callable_or_module = callable(found) or isinstance(found, types.ModuleType)
        env.names[name] = (
            Named(found) if callable_or_module else outside_value(ctx, node, found, name)
        )


def _module(ctx: FunctionContext, node: ast.stmt, name: str) -> Any:
    package = ctx.outside("__package__")
    try:
        return importlib.import_module(name, package)
    except Exception as error:  # whatever the module raises
        ctx.fail("AC011", node, f"{name}: {error}", "a module that Python finds")


@statement(ast.Global)
def global_(ctx: FunctionContext, node: ast.Global, env: Env) -> None:
    """`global LIMIT`, which the function reads."""
    if set(node.names) & (names_assigned(ctx.source.tree.body) | set(env.names)):
        ctx.fail(
            "AC001",
            node,
            "a `global` that changes is not part of the language",
            "a parameter, and a result",
        )
