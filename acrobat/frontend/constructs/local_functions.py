"""Local functions and lambdas; `functools.reduce`, `map`, `filter`."""

from __future__ import annotations

import ast
import functools
from typing import TypeVar

from ...ir import typed as T
from ..context import FunctionContext
from ..given_away import refuse_given_away
from ..library_functions import instead_of_library
from ..registry import Arity, expression, function, statement
from ..scope import Env
from .arguments import temporary
from .closures import function_value, local_function
from .sequences import as_list

_Node = TypeVar("_Node", bound=ast.AST)


@statement(ast.FunctionDef)
def definition(ctx: FunctionContext, node: ast.FunctionDef, env: Env) -> None:
    """`def step(h, x): ...` inside a function; type hints may be left out."""
    if node.decorator_list:
        ctx.fail(
            "AC001",
            node.decorator_list[0],
            "a decorator of a local function",
            "the function without it: it is compiled where it is called",
        )
    env.names[node.name] = local_function(ctx, node, env)
    env.escape(node.name)


@expression(ast.Lambda)
def lambda_(ctx: FunctionContext, node: ast.Lambda, env: Env) -> T.Atom:
    """`lambda x: x + 1` as an argument, or with a name; refused anywhere else."""
    ctx.fail(
        "AC002",
        node,
        "a lambda, which is not a value here",
        "a name for it, `g = lambda x: ...`, or an argument of a function that calls it",
    )


@function(functools.reduce, Arity(2, 3))
def reduce_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`functools.reduce(f, xs, start)`."""
    refuse_given_away(ctx, node)
    f, items = _function(ctx, node.args[0], env), node.args[1]
    if len(node.args) == 3:
        state = temporary(env, "reduce: start", ctx.expression(node.args[2], env), node)
    else:
        every = ctx.expression(as_list(ctx, items, env), env)
        items = temporary(env, ast.unparse(items), every, items)
        first = ast.Subscript(items, ast.Constant(0), ast.Load())
        state = temporary(env, "reduce: start", ctx.expression(_at(first, node), env), node)
        items = _at(ast.Subscript(items, ast.Slice(ast.Constant(1)), ast.Load()), node)
    item = ast.Name("reduce: item", ast.Store())
    call = ast.Call(f, [state, ast.Name(item.id, ast.Load())], [])
    step = ast.Assign([ast.Name(state.id, ast.Store())], call)
    ctx.statement(_at(ast.For(item, items, [step], []), node), env)
    return ctx.expression(state, env)


@function(map, Arity(2))
def map_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`map(f, xs, ...)`: the list of the results."""
    refuse_given_away(ctx, node)
    f, lists = _function(ctx, node.args[0], env), node.args[1:]
    names = [f"map: item {i + 1}" for i in range(len(lists))]
    targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
    target, items = targets[0], lists[0]
    if len(lists) > 1:
        target = ast.Tuple(targets, ast.Store())
        items = ast.Call(ast.Name("zip", ast.Load()), lists, [])
    call = ast.Call(f, [ast.Name(n, ast.Load()) for n in names], [])
    comprehension = ast.comprehension(target, items, [], 0)
    return ctx.expression(_at(ast.ListComp(call, [comprehension]), node), env)


@function(filter, Arity(2, 2))
def filter_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`filter(f, xs)`: the list of the items for which f holds; of `None`, that are true."""
    refuse_given_away(ctx, node)
    name = "filter: item"
    test: ast.expr = ast.Name(name, ast.Load())
    if not (isinstance(node.args[0], ast.Constant) and node.args[0].value is None):
        test = ast.Call(_function(ctx, node.args[0], env), [test], [])
    comprehension = ast.comprehension(ast.Name(name, ast.Store()), node.args[1], [test], 0)
    return ctx.expression(_at(ast.ListComp(ast.Name(name, ast.Load()), [comprehension]), node), env)


def _function(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.Name:
    """A name for the function that was given as the first argument."""
    value = function_value(ctx, node, env)
    if value is None:
        ctx.fail(
            "AC017",
            node,
            f"`{ast.unparse(node)}` is no function of the model",
            instead_of_library(ctx.static(node, env))
            or "the name of a function, a lambda, or `functools.partial(...)`",
        )
    return temporary(env, f"function {ast.unparse(node)}", value, node)


def _at(node: _Node, where: ast.AST) -> _Node:
    """Give the nodes of a generated tree the location of `where`, the source that it stands for."""
    for inner in ast.walk(node):
        if not hasattr(inner, "lineno"):
            ast.copy_location(inner, where)
    return node
