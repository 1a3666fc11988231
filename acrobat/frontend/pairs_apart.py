"""`a, b = x, y` as two assignments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .syntax import names_in
from .written import placed


def with_pairs_apart(tree: ast.FunctionDef, may_part: Callable[[list[ast.expr]], bool]) -> None:
    """Write the assignments of tuples in a function whose values `may_part` one by one, which
    neither read the names that they are given to, as single ones."""
    pairs = _Pairs(may_part)
    found: list[ast.stmt] = []
    for stmt in tree.body:
        new = pairs.visit(stmt)
        found += new if isinstance(new, list) else [new]
    tree.body = found


class _Pairs(ast.NodeTransformer):
    def __init__(self, may_part: Callable[[list[ast.expr]], bool]) -> None:
        self.may_part = may_part

    def visit_Assign(self, node: ast.Assign) -> Any:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                names = {t.id for t in targets if isinstance(t, ast.Name)}
                free = not any(names & names_in(v) for v in values)
                if len(names) == len(targets) and free and self.may_part(values):
                    pairs = zip(targets, values, strict=True)
                    return [placed(ast.Assign([t], v), node) for t, v in pairs]
        return node
