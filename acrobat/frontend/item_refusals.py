"""Why objects in a list may not change (objects_in_lists.py)."""

from __future__ import annotations

import ast


class Refused(Exception):
    """Something in a function, `node`, keeps objects in a list from being changed: `what` it does,
    and what to write `instead`."""

    def __init__(self, node: ast.AST, what: str, instead: str) -> None:
        super().__init__(what)
        self.node, self.what, self.instead = node, what, instead


def short(node: ast.AST, most: int = 60) -> str:
    """The text of an expression or a statement, shortened to its first line."""
    first = ast.unparse(node).splitlines()[0]
    return first if len(first) <= most else first[: most - 3] + "..."
