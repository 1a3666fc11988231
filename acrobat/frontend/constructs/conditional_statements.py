"""Statements with the value `a if c else b` as an `if`, for changes that only one branch makes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..written import placed


def as_branches(stmt: ast.stmt) -> ast.If | None:
    """`x = a if c else b`, `return a if c else b` or just `a if c else b` as an `if` with
    a statement in each branch; None for anything else. (`x += a if c else b` reads `x` before
    `c`.)"""

    def made(write: Callable[[ast.expr], ast.stmt], value: ast.IfExp) -> ast.If:
        ways = [[placed(write(v), stmt)] for v in (value.body, value.orelse)]
        return placed(ast.If(value.test, *ways), stmt)

    match stmt:
        case ast.Assign(targets, ast.IfExp() as value):
            return made(lambda v: ast.Assign(targets, v), value)
        case ast.Return(ast.IfExp() as value):
            return made(ast.Return, value)
        case ast.Expr(ast.IfExp() as value):
            return made(ast.Expr, value)
    return None
