"""Errors for what an object whose fields change does not have (constructs/local_objects.py)."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import NoReturn

from ..context import FunctionContext
from .field_changes import attribute_of, fields_of


def refuse_field(ctx: FunctionContext, node: ast.Attribute, name: str, cls: type) -> NoReturn:
    """An error for `name.attr`, where `name` is an object of the class that has no such field."""
    if isinstance(attribute_of(cls, node.attr), FunctionType):
        text = f"{name}.{node.attr}"
        ctx.fail(
            "AC030",
            node,
            f"{text}, a method of a {cls.__name__} whose fields change, is a value here, and not "
            "called",
            f"a call, `{text}(...)`, in a loop or a comprehension",
        )
    ctx.fail(
        "AC014",
        node,
        f"a {cls.__name__} has no field {node.attr!r} that its __init__ sets",
        f"its fields are {', '.join(fields_of(ctx, cls))}",
    )
