"""Comprehensions whose items depend on each other: `[total := total + x for x in xs]`. They are
lowered as loops that append to a list; those of all others run independently of each other."""

from __future__ import annotations

import ast
import copy

from ...ir import typed as T
from ..context import FunctionContext
from ..scope import Env, Undefined
from ..syntax import is_mutation, mark_fresh, names_bound
from ..unassigned import start
from ..written import placed
from .evaluation_order import loops


def passes_on(ctx: FunctionContext, node: ast.ListComp, env: Env) -> bool:
    """Whether an item may do something that the next item, or what comes after the comprehension,
    can see: it changes a list, or `:=` binds a name that has a value before, or that something else
    mentions."""
    first, *more = node.generators
    parts = [node.elt, *first.ifs, *(p for g in more for p in (g.iter, *g.ifs))]
    if any(isinstance(n, ast.Call) and is_mutation(n) for p in parts for n in ast.walk(p)):
        return True
    for name in names_bound(node):
        if not isinstance(env.names.get(name), Undefined | None):
            return True
        if _mentions(ctx.source.tree, name) > _mentions(node, name):
            return True
    return False


def _mentions(tree: ast.AST, name: str) -> int:
    return sum(1 for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name)


def in_turn(ctx: FunctionContext, node: ast.ListComp, env: Env) -> T.Var:
    """The list of such a comprehension."""
    name = f"the items in {node.lineno}:{node.col_offset}"
    items = ast.Name(name, ast.Load())
    empty = ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load()))
    add = ast.Call(ast.Attribute(items, "append", ast.Load()), [copy.deepcopy(node.elt)], [])
    loop = loops(copy.deepcopy(node.generators), [ast.Expr(add)])
    for stmt in (placed(empty, node), placed(loop, node)):
        start(ctx, stmt, env)
        ctx.statement(stmt, env)
    mark_fresh(items)  # it is read here alone
    found = ctx.expression(placed(items, node), env)
    del env.names[name]
    assert isinstance(found, T.Var)
    return found
