"""Members of enumerations at run time: each is its position, an index into attribute tables."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...ir import typed as T
from ...ir.types import INT, ListType, MemberType
from ..context import MISSING, FunctionContext
from ..emit import list_op
from .constants import outside_value


def attribute_of_member(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom) -> T.Atom:
    """`kind.value`, `kind.name`, or a property of the class, which is read when the model is
    compiled."""
    assert isinstance(obj.type, MemberType)
    found: list[Any] = []
    for m in obj.type.members:
        try:
            found.append(getattr(m, node.attr, MISSING))
        except Exception as error:  # whatever the author's property raises
            ctx.fail(
                "AC014",
                node,
                f"{m}.{node.attr}: {type(error).__name__}: {error}",
                "a value for each",
            )
    if MISSING in found or callable(found[0]):
        ctx.fail(
            "AC014",
            node,
            f"a member of {obj.type} has no field {node.attr!r}",
            "`.value`, `.name`, a property of the class, or a function of the module",
        )
    return of_each_member(ctx, node, obj, found, ast.unparse(node))


def of_each_member(
    ctx: FunctionContext, node: ast.AST, obj: T.Atom, each: Sequence[Any], text: str
) -> T.Atom:
    """The item of `each` that belongs to the member `obj`; errors call it `text`."""
    assert isinstance(obj.type, MemberType)
    table = outside_value(ctx, node, list(each), text)
    assert isinstance(table.type, ListType)
    at = ctx.let(T.Scalar("int", (obj,)), INT, node, "position")
    return list_op(ctx, "get", (table, at), table.type.item, node)
