"""Assignments of several values to fields, `s.a, s.b = x, y`, and of a tuple to fields and items,
`s.a, xs[i] = pair`, as one assignment for each."""

from __future__ import annotations

import ast

from .constructs.evaluation_order import part_name
from .written import placed


def with_fields_apart(tree: ast.FunctionDef) -> None:
    """Write such assignments in a function one by one."""
    _Assignments().visit(tree)


class _Assignments(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return apart(node) or node


def apart(node: ast.Assign) -> list[ast.stmt] | None:
    """The statements for one such assignment, which compute all values first; None for any other
    one. What is unpacked is unpacked as a whole, which checks how many values it has."""
    match node:
        case ast.Assign([ast.Tuple(targets)], value) if not any(map(_is_starred, targets)):
            pass
        case _:
            return None
    fields = any(isinstance(t, ast.Attribute) for t in targets)
    if isinstance(value, ast.Tuple):
        if not fields or len(value.elts) != len(targets) or any(map(_is_starred, value.elts)):
            return None
        names = [part_name(v) for v in value.elts]
        first: list[ast.stmt] = [
            ast.Assign([ast.Name(n, ast.Store())], v)
            for n, v in zip(names, value.elts, strict=True)
        ]
    else:
        if not fields and not any(isinstance(t, ast.Subscript) for t in targets):
            return None
        names = [part_name(t) for t in targets]
        parts: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
        first = [ast.Assign([ast.Tuple(parts, ast.Store())], value)]
    last = [ast.Assign([t], ast.Name(n, ast.Load())) for t, n in zip(targets, names, strict=True)]
    return [placed(s, node) for s in (*first, *last)]


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)
