"""One of two functions that the instance chooses, `f = np.tanh if deep else np.sin`: a function
that calls the one or the other."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np

from ...ir import typed as T
from ...lang.model import Model
from ..context import FunctionContext
from ..function_values import Closure, FunctionValue, Named
from ..syntax import parameters
from ..written import placed

_TEST, _FIRST, _SECOND = "whether the first", "the first function", "the second function"
_TREE = "_acrobat_chosen"  # an attribute of the expression: one tree, so one function


def between(
    ctx: FunctionContext,
    node: ast.expr,
    holds: T.Atom,
    first: FunctionValue,
    second: FunctionValue,
) -> Closure:
    """A function that calls `first` where `holds` is true, and elsewhere `second`."""
    count = arguments_of(first)
    if count is None or count != arguments_of(second):
        ctx.fail(
            "AC002",
            node,
            "which of two functions it is, is not known when the model is compiled, and they may "
            "take different numbers of arguments",
            "`if` around the calls",
        )
    given, taken = given_names(count)
    calls = [ast.Call(ast.Name(n, ast.Load()), given, []) for n in (_FIRST, _SECOND)]
    chosen = ast.IfExp(ast.Name(_TEST, ast.Load()), *calls)
    captured = {_TEST: holds, _FIRST: first, _SECOND: second}
    return Closure(
        tree_of_choice(node, chosen, taken), ctx.source, ctx.signature.model, captured, False
    )


def given_names(count: int) -> tuple[list[ast.expr], ast.arguments]:
    """Arguments for a call, and the parameters with their names."""
    names = [f"x{i}" for i in range(count)]
    taken = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    return [ast.Name(n, ast.Load()) for n in names], taken


def tree_of_choice(node: ast.expr, value: ast.expr, taken: ast.arguments) -> ast.FunctionDef:
    """The function that returns `value`; the same for the same `node`."""
    tree: ast.FunctionDef | None = getattr(node, _TREE, None)
    if tree is None:
        tree = placed(ast.FunctionDef("chosen", taken, [ast.Return(value)], [], None), node)
        setattr(node, _TREE, tree)
    return tree


def arguments_of(function: Any) -> int | None:
    """How many arguments a function takes; None if that may differ from call to call."""
    if isinstance(function, Named):
        function = function.found
    if isinstance(function, np.ufunc):
        return function.nin
    if isinstance(function, Closure):
        args = function.tree.args
        fixed = not (args.defaults or args.kwonlyargs or args.vararg or args.kwarg)
        own = int(function.owner is not None)
        return len(parameters(function.tree)) - own if fixed else None
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
