"""Named tuples are tuples: one whose class defines `__iter__` or the like is none."""

from __future__ import annotations

import ast

from ..bad_hint import BadHint
from ..class_fields import check_is_tuple
from ..context import FunctionContext


def check_named_tuple(ctx: FunctionContext, node: ast.AST, cls: type) -> None:
    """Refuse a named tuple that the model makes, or that the module holds, if it is no tuple."""
    try:
        check_is_tuple(cls)
    except BadHint as error:
        ctx.fail("AC004", node, str(error), error.hint)
