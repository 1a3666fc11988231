"""The nesting depth of a function's source, which bounds the compiler's own recursion."""

from __future__ import annotations

import ast

from ..limits import MAX_NESTING
from .diagnostics import Reporter
from .source import Source


def check_nesting(source: Source, reporter: Reporter) -> bool:
    """Whether the function is nested at most MAX_NESTING deep; if not, an error (AC032) at the
    first place where it is deeper."""
    work: list[tuple[ast.AST, int]] = [(source.tree, -1)]
    while work:
        node, depth = work.pop()
        # Expressions count from the statement that they are in.
        inner = 0 if isinstance(node, ast.stmt) else depth + 1
        below = depth + 1 if isinstance(node, (ast.stmt, ast.match_case)) else depth
        if max(depth, inner) > MAX_NESTING and isinstance(node, (ast.stmt, ast.expr)):
            what = "statements" if isinstance(node, ast.stmt) else "an expression"
            reporter.error(
                "AC032",
                source.span(node),
                f"{what} nested more than {MAX_NESTING} deep",
                "a loop over a list, or parts of it as functions or values with names",
            )
            return False
        children = reversed(list(ast.iter_child_nodes(node)))
        work += [
            (c, below if isinstance(c, (ast.stmt, ast.match_case)) else inner) for c in children
        ]
    return True
