"""Names that a visitor gives to the parts of its call, written where they are used:

name = "visit_" + type(node).__name__           return getattr(self, "visit_" +
method = getattr(self, name, self.other)    ->      type(node).__name__, self.other)(node)
return method(node)
"""

from __future__ import annotations

import ast
from collections import Counter

from .constructs.visitors import class_named
from .written import copied

_SIMPLE = (ast.Return, ast.Assign, ast.Expr, ast.AnnAssign)


def with_visitor_names(tree: ast.FunctionDef) -> None:
    """Write such names out in a function. Each is used once, by the statement that follows."""
    if not any(class_named(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute)):
        return
    mentions = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))
    for node in ast.walk(tree):
        for part in ("body", "orelse"):
            stmts = getattr(node, part, None)
            if isinstance(stmts, list):
                setattr(node, part, _joined(stmts, mentions))


def _joined(stmts: list[ast.stmt], mentions: Counter[str]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for stmt in stmts:
        match found[-1:], stmt:
            case [ast.Assign([ast.Name(name)], value)], ast.stmt() if (
                mentions[name] == 2 and class_named(value) is not None
            ):
                if isinstance(stmt, _SIMPLE) and _may_move(stmt, name):
                    stmt = _Written(name, value).visit(stmt)
                    found.pop()
        found.append(stmt)
    return found


def _may_move(stmt: ast.stmt, name: str) -> bool:
    """Whether a statement uses `name` once, outside of functions and loops in it, and binds no name
    before."""
    inner = (ast.Lambda, ast.comprehension, ast.NamedExpr)
    nodes = list(ast.walk(stmt))
    used = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    return len(used) == 1 and not any(isinstance(n, inner) for n in nodes)


class _Written(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copied(self.value) if node.id == self.name else node
