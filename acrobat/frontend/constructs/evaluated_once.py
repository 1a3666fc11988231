"""Which parts of a statement are evaluated exactly once."""

from __future__ import annotations

import ast


class EvaluatedOnce(ast.NodeTransformer):
    """A rewriting that knows of the current node whether it is evaluated exactly once: `once`."""

    def __init__(self) -> None:
        self.once = True

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """`a if c else b`."""
        node.test = self.visit(node.test)
        node.body, node.orelse = self.sometimes([node.body, node.orelse])
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """`a and b`."""
        node.values = [self.visit(node.values[0]), *self.sometimes(node.values[1:])]
        return node

    def sometimes(self, nodes: list[ast.expr]) -> list[ast.expr]:
        """Expressions of which one may not be evaluated."""
        outer, self.once = self.once, False
        new = [self.visit(n) for n in nodes]
        self.once = outer
        return new

    def inside(self, node: ast.AST) -> ast.AST:
        """What may be evaluated several times, or later."""
        outer, self.once = self.once, False
        self.generic_visit(node)
        self.once = outer
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = inside  # noqa: N815
