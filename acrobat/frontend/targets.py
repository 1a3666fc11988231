"""Targets of assignments: names, tuples of names."""

from __future__ import annotations

import ast
from typing import NoReturn

from ..ir import typed as T
from ..ir.types import ListType, NothingType, TupleType
from .context import FunctionContext
from .scope import Env

# What to write instead of an empty list whose items have no type.
EMPTY = "an item in the list before: its type is that of the first"


def assign(
    ctx: FunctionContext, target: ast.expr, atom: T.Atom, env: Env, made: bool = False
) -> None:
    """Bind the names of `target` to `atom`; `made`: a list that has no name yet."""
    match target:
        case ast.Name(name):
            if isinstance(atom, T.Var):
                ctx.origins.setdefault(atom.number, f"assigned in line {ctx.span(target).line}")
            env.names[name] = atom
            env.owned.discard(name)
            if made and isinstance(atom.type, ListType):
                env.owned.add(name)
        case ast.Starred():
            ctx.fail("AC025", target, "`*` in a target", "a name for each part")
        case ast.Tuple(elements) | ast.List(elements):
            if isinstance(atom.type, NothingType):
                ctx.error("AC025", target, "cannot unpack an item of an empty list", EMPTY)
                for element in elements:
                    assign(ctx, element, atom, env)
                return
            if not isinstance(atom.type, TupleType) or not isinstance(atom, T.Var):
                ctx.fail("AC025", target, f"cannot unpack a {atom.type}", "unpack a tuple")
            if len(elements) != len(atom.type.items):
                ctx.fail(
                    "AC025",
                    target,
                    f"{len(elements)} targets for the {len(atom.type.items)} parts of {atom.type}",
                    f"name {len(atom.type.items)} targets",
                )
            for i, element in enumerate(elements):
                name = element.id if isinstance(element, ast.Name) else "part"
                part = ctx.let(T.GetItem(atom, i), atom.type.items[i], element, name)
                assign(ctx, element, part, env)
        case _:
            refuse_mutation(ctx, target)


def refuse_mutation(ctx: FunctionContext, target: ast.expr) -> NoReturn:
    """An assignment to a field or an item."""
    what = "an attribute" if isinstance(target, ast.Attribute) else "an item"
    ctx.fail(
        "AC015",
        target,
        f"assignment to {what}: values cannot be changed",
        "build a new value and give it a name",
    )
