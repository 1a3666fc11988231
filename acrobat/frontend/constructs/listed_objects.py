"""An object that is taken out of a list, changed, and put back (item_calls.py)."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ..context import FunctionContext
from ..registry import expression
from ..scope import Env

LISTED = ", an item of "  # in the names that such objects get, behind the text of the item


class ListedObject(ast.expr):
    """`value`, an item of a list, of the class `cls`. Nothing else refers to the object, but other
    names may refer to lists in its fields. Those of the fields `rebound` do not change: the fields
    get other lists."""

    _fields = ("value",)
    value: ast.expr
    cls: type
    rebound: frozenset[str]


@expression(ListedObject)
def listed_object(ctx: FunctionContext, node: ListedObject, env: Env) -> T.Atom:
    """`slots[i]`, the object itself."""
    return ctx.expression(node.value, env)
