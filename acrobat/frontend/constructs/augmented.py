"""Before `x = x + f(x)`, which stands for `x += f(x)` where the call changes x, too: x is no array.

An array changes in place, and what the call has given another name, or has set to another array,
would have to change with it. Numbers are other objects in any case; a list stays the same one.
"""

from __future__ import annotations

import ast

from ...ir.types import TensorType
from ..context import FunctionContext
from ..registry import statement
from ..scope import Env
from .in_place import changes_in_place, instead


class NoArray(ast.stmt):
    """Requires that `target` is no array; `text` is what to write if it is one."""

    _fields = ("target", "text")
    target: ast.expr
    text: str


def no_array(target: ast.expr, stmt: ast.AugAssign) -> NoArray:
    """This of the target of `stmt`, read as `target`."""
    node = NoArray()
    node.target, node.text = target, instead(stmt)
    return node


@statement(NoArray)
def check_no_array(ctx: FunctionContext, node: NoArray, env: Env) -> None:
    """Report an error for an array."""
    with ctx.region():
        t = ctx.peek(node.target, env.copy()).type
    if isinstance(t, TensorType) and changes_in_place(ctx, t):
        ctx.fail("AC015", node, "an assignment that changes a tensor in place", node.text)
