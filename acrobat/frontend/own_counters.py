"""A function's own counters, `ids = itertools.count()`, as a variable and a local function:

    ids = itertools.count(1)                ids: the next = 1
    k = next(ids)                           def ids():
                                                nonlocal `ids: the next`
                                   ->           `ids: the next` += 1
                                                return `ids: the next` - 1
                                            k = ids()

This is done if the name stands for nothing else and only `next` reads it.
"""

from __future__ import annotations

import ast
import itertools

from .captures import own_nodes
from .context import FunctionContext
from .scope import Env
from .syntax import parents_of
from .written import copied, placed


def with_own_counters(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the counters that a function makes, but not those that other functions in it make."""
    made = [n for n in own_nodes(tree.body) if isinstance(n, ast.Assign) and _counts(ctx, n)]
    if not made:
        return
    parents = parents_of(tree)
    for stmt in made:
        assert isinstance(stmt.targets[0], ast.Name)
        if all(
            node is stmt.targets[0] or _is_next(ctx, parents[id(node)], node)
            for node in ast.walk(tree)
            if stmt.targets[0].id in _names(node)
        ):
            _replace(parents[id(stmt)], stmt, _counter(stmt))
            _Calls(ctx, stmt.targets[0].id).visit(tree)


def _counts(ctx: FunctionContext, stmt: ast.stmt) -> bool:
    match stmt:
        case ast.Assign([ast.Name()], ast.Call(func, args, [])) if len(args) < 3:
            starred = any(isinstance(a, ast.Starred) for a in args)
            return not starred and ctx.static(func, Env()) is itertools.count
    return False


def _replace(parent: ast.AST, stmt: ast.stmt, new: list[ast.stmt]) -> None:
    for _, block in ast.iter_fields(parent):
        if isinstance(block, list) and stmt in block:
            at = block.index(stmt)
            block[at : at + 1] = new


def _names(node: ast.AST) -> tuple[str, ...]:
    """The names that a node itself mentions."""
    match node:
        case ast.Name(name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
            return (name,)
        case ast.Global(names) | ast.Nonlocal(names):
            return tuple(names)
    return ()


def _is_next(ctx: FunctionContext, call: ast.AST, name: ast.AST) -> bool:
    match call:
        case ast.Call(func, [argument], []):
            return argument is name and ctx.static(func, Env()) is next
    return False


def _counter(stmt: ast.Assign) -> list[ast.stmt]:
    """The statements in place of the assignment."""
    (target,), call = stmt.targets, stmt.value
    assert isinstance(target, ast.Name) and isinstance(call, ast.Call)
    defaults: list[ast.expr] = [ast.Constant(0), ast.Constant(1)]
    start, step = [*call.args, *defaults[len(call.args) :]]
    name, by = f"{target.id}: the next", f"{target.id}: the step"
    before: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], start)]
    if not isinstance(step, ast.Constant):
        before.append(ast.Assign([ast.Name(by, ast.Store())], step))
        step = ast.Name(by, ast.Load())
    result = ast.BinOp(ast.Name(name, ast.Load()), ast.Sub(), step)
    body: list[ast.stmt] = [
        ast.Nonlocal([name]),
        ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), copied(step)),
        ast.Return(result),
    ]
    nothing = ast.arguments([], [], None, [], [], None, [])
    function = ast.FunctionDef(target.id, nothing, body, [])
    return [placed(s, stmt) for s in (*before, function)]


class _Calls(ast.NodeTransformer):
    """Writes `ids()` for `next(ids)`."""

    def __init__(self, ctx: FunctionContext, name: str) -> None:
        self._ctx, self._name = ctx, name

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func, [ast.Name(name) as counter], []) if name == self._name:
                if self._ctx.static(func, Env()) is next:
                    return placed(ast.Call(counter, [], []), node)
        return node
