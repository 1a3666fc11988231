"""`else` of a loop: statements that run unless `break` has left the loop."""

from __future__ import annotations

import ast
import copy
from typing import Any, TypeVar

from ...ir import typed as T
from ..context import FunctionContext
from ..scope import Env

_N = TypeVar("_N", bound=ast.AST)


def with_else(ctx: FunctionContext, node: ast.For | ast.While, env: Env) -> T.End | None:
    """Lower a loop, which records in a flag whether it runs to its end, and an `if` after it."""
    flag = f"the end of line {ctx.span(node).line}"  # a name that no model can use
    marked = _Marked(flag)
    body = marked.parts(node.body)
    if not marked.found:
        behind = node.orelse
    else:
        ended = _at(ast.Name(flag, ast.Load()), node)
        behind = [_at(ast.If(ended, node.orelse, []), node.orelse[0])]
    loop: ast.stmt
    if isinstance(node, ast.For):
        loop = ast.For(node.target, node.iter, body, [])
    else:
        loop = ast.While(node.test, body, [])
    end: T.End | None = None
    for stmt in (_noted(flag, True, node), _at(loop, node), *behind):
        end = ctx.statement(stmt, env)
        if end is not None:
            break
    env.names.pop(flag, None)
    return end


def _noted(flag: str, value: bool, node: ast.AST) -> ast.stmt:
    target = _at(ast.Name(flag, ast.Store()), node)
    return _at(ast.Assign([target], _at(ast.Constant(value), node)), node)


def _at(node: _N, where: ast.AST) -> _N:
    return ast.copy_location(node, where)


class _Marked(ast.NodeTransformer):
    """Copies the statements of a loop so that each `break` of this loop clears the flag first."""

    def __init__(self, flag: str) -> None:
        self.flag, self.found = flag, False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.expr, ast.pattern)):
            return node
        new = copy.copy(node)  # with what the compiler has noted at it
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(new, name, self.parts(value))
        return new

    def parts(self, values: list[Any]) -> list[Any]:
        """The list with its statements and match cases transformed."""
        made: list[Any] = []
        for value in values:
            new = self.visit(value) if isinstance(value, (ast.stmt, ast.match_case)) else value
            made += new if isinstance(new, list) else [new]
        return made

    def visit_Break(self, node: ast.Break) -> Any:
        self.found = True
        return [_noted(self.flag, False, node), node]

    def _inner_loop(self, node: ast.For | ast.While) -> ast.AST:
        new = copy.copy(node)
        new.orelse = self.parts(node.orelse)  # a `break` there belongs to the outer loop
        return new

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._inner_loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._inner_loop(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # its loops are its own
