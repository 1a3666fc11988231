"""Expressions that the compiler writes, given as Python text with holes."""

from __future__ import annotations

import ast
import functools
import itertools
import math
import operator
from copy import deepcopy

from ..lang import ops

# What names in a template stand for; in the model they may mean anything.
_KNOWN: dict[str, object] = {
    f.__name__: f for f in (abs, bool, float, int, len, list, max, min, range, sorted, sum)
} | {"all": all, "any": any}
_MODULES: dict[str, object] = {
    "ops": ops,
    "math": math,
    "functools": functools,
    "itertools": itertools,
    "operator": operator,
}


class _Filling(ast.NodeTransformer):
    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self.parts = parts

    def visit(self, node: ast.AST) -> ast.AST:
        """Any part of the template, which has no place in the source."""
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, name):
                delattr(node, name)
        result: ast.AST = super().visit(node)
        return result

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A hole, a function, or a variable of a comprehension, under a name no model can have."""
        if node.id in self.parts:
            return self.parts[node.id]
        if node.id in _KNOWN:
            return ast.Constant(_KNOWN[node.id])  # type: ignore[arg-type]
        return ast.Name(f"the {node.id}", node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter of a lambda."""
        return ast.arg(f"the {node.arg}")

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`ops.tanh`, `math.inf`, or a method."""
        match node.value:
            case ast.Name(name) if name in _MODULES and name not in self.parts:
                return ast.Constant(getattr(_MODULES[name], node.attr))
        return self.generic_visit(node)


@functools.cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def template(text: str, **parts: ast.expr) -> ast.expr:
    """The expression `text`, in which the names of `parts` stand for these."""
    filled = _Filling(parts).visit(deepcopy(_parsed(text)))
    assert isinstance(filled, ast.expr)
    return filled
