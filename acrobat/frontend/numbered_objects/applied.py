"""Functions that are arguments of calls, and lists that calls change in place."""

from __future__ import annotations

import ast

from ..context import MISSING as UNKNOWN
from .kinds import OTHER, Kind, Object, join
from .look import Look
from .program import static


def note_change(look: Look, place: ast.expr) -> None:
    """Note the field whose list changes in place."""
    while True:
        match place:
            case ast.Subscript(inner) | ast.Call(ast.Attribute(inner, "get" | "setdefault")):
                place = inner
            case _:
                break
    match place:
        case ast.Attribute(value, attr):
            owner = look.eval(value)
            if isinstance(owner, Object):
                look.change(owner.cls, attr)


def applied(look: Look, function: ast.expr, given: list[Kind | None]) -> Kind | None:
    """The result of a function that is an argument."""
    if isinstance(function, ast.Lambda):
        return look.inside(function, given)
    if isinstance(function, ast.Name) and function.id in look.inner:
        found: Kind | None = None
        for tree in look.inner[function.id]:
            found = join(found, look.inside(tree, given))
        return found
    if isinstance(function, ast.Attribute):
        owner = look.eval(function.value)
        if isinstance(owner, Object):
            return look.method(owner.cls, function.attr, given, {})
    known = static(look.function, function, look.hidden)
    return OTHER if known is UNKNOWN else look.call(known, given, {})
