"""Syntax that the compiler writes in place of what the author wrote."""

from __future__ import annotations

import ast
from typing import TypeVar

_N = TypeVar("_N", bound=ast.AST)


def known(value: object) -> ast.expr:
    """An expression for a Python object, whatever its name means in the model."""
    return ast.Constant(value)  # type: ignore[arg-type]


def call(function: object, *args: ast.expr, **words: ast.expr) -> ast.Call:
    """A call of a Python object."""
    keywords = [ast.keyword(name, value) for name, value in words.items()]
    return ast.Call(known(function), list(args), keywords)


def placed(new: _N, node: ast.AST) -> _N:
    """`new` at the location of `node`, except for the parts that the author wrote."""
    for part in ast.walk(new):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return new
