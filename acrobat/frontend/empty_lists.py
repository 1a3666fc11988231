"""What to write where an item of a list is needed into which nothing has been put.

The items of such a list have the type nothing. A loop around finds their type where it puts items
into the list (carried.py); elsewhere only a hint says it, where the list is made.
"""

from __future__ import annotations

import ast

# What to write if the list has no name.
EMPTY = "`xs: list[int] = []` where the list is made, with the type of its items"


def with_hint(node: ast.expr) -> str:
    """What to write for the list of which `node`, an item or a call of a method, needs an item."""
    match node:
        case ast.Subscript(ast.Name(name)) | ast.Call(ast.Attribute(ast.Name(name))):
            owner, _, field = name.rpartition(".")
        case ast.Subscript(ast.Attribute(attr=field)) | ast.Call(
            ast.Attribute(ast.Attribute(attr=field))
        ):
            owner = "self"
        case _:
            return EMPTY
    if not owner:
        return f"`{field}: list[int] = []` where it is made, with the type of its items"
    return (
        f"`self.{field}: list[int] = []` where it is made (`{field}: list[int]` in a dataclass), "
        "with the type of its items"
    )
