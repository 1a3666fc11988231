"""Sets that the module defines, `x in STOP`."""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection
from typing import Any

from ..context import FunctionContext
from .literals import is_member


def written_out(
    ctx: FunctionContext, node: ast.Compare, right: ast.expr, known: Collection[Any]
) -> ast.expr:
    """A set that the module defines, as a list of its items."""
    plain = [x if is_member(x) or not isinstance(x, enum.Enum) else x.value for x in known]
    if not all(isinstance(x, (int, str)) or is_member(x) for x in plain):
        ctx.fail(
            "AC002",
            right,
            f"{ast.unparse(right)} is a set of other than ints, strings and members",
            "a tuple or a dict of the module",
        )
    items: list[ast.expr] = [ast.Constant(x) for x in sorted(plain, key=repr)]
    found = ast.List(items, ast.Load())
    for part in ast.walk(found):
        if isinstance(part, ast.expr):
            ast.copy_location(part, right)
    return found
