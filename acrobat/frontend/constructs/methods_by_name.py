"""Methods of the author's classes, where it is not known yet of which class an object is."""

from __future__ import annotations

import ast
import types

from ..context import FunctionContext
from .closures import undecorated


def methods_named(ctx: FunctionContext, name: str) -> list[ast.FunctionDef]:
    """The methods of this name in all classes of the model that are known so far."""
    classes = {c for cls in ctx.builder.declarations.names for c in cls.__mro__} - {object}
    found = [f for c in classes if isinstance(f := vars(c).get(name), types.FunctionType)]
    closures = (undecorated(ctx, f) for f in dict.fromkeys(found))
    return [c.tree for c in closures if c is not None]
