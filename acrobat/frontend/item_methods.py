"""Methods and properties of objects in a list: whether they only read fields of `self`. One that
returns `self`, or puts it anywhere, gives the object another name."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

from .constructs.closures import closure_of
from .context import FunctionContext


def only_reads_fields(
    ctx: FunctionContext, cls: type, name: str, seen: frozenset[str] = frozenset()
) -> bool:
    """Whether the attribute `name` of objects of a class is a field, or a method or property that
    only reads fields."""
    found: Any = inspect.getattr_static(cls, name, None)
    function = found.fget if isinstance(found, property) else found
    if name in seen or not isinstance(function, types.FunctionType):
        return True
    closure = closure_of(ctx, function)
    if closure is None or not closure.tree.args.args:
        return False
    tree, own = closure.tree, closure.tree.args.args[0].arg
    parents = {id(c): n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.id != own:
            continue
        match parents[id(node)]:
            case ast.Attribute(attr=attr, ctx=ast.Load()):
                if not only_reads_fields(ctx, cls, attr, seen | {name}):
                    return False
            case _:
                return False
    return True
