"""What weights consist of: a field, and everything in weights that are a dict or a list."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

from ..ir import typed as T
from ..ir.names import authors
from ..ir.types import KeyedType, ParamsRef, Type
from ..lang.made_weights import COLLECTIONS, NumberedDict, base_of, form_of
from .context import FunctionContext
from .declarations import Declarations
from .emit import make_tuple
from .weight_structure import Known, Member


def members_of(declarations: Declarations, owner: str) -> Mapping[str, Member]:
    """What weights of the type `owner` have, by the names of the author's fields."""
    variant = declarations.variants.get(owner)
    if variant is not None:
        return variant.members
    return {n: n for n, _ in declarations.params[owner].fields}


def form_of_type(declarations: Declarations, t: Type) -> type | None:
    """What weights without an `@ab.params` class are read like: dict, list, or object; None for
    those of such a class, and for other values."""
    return form_of(declarations.params[t.name].cls) if isinstance(t, ParamsRef) else None


def weight_keys(ctx: FunctionContext, value: T.Atom) -> Collection[str] | None:
    """The keys of weights in a dict; None for other values."""
    declarations = ctx.builder.declarations
    if not isinstance(value.type, ParamsRef) or form_of_type(declarations, value.type) is not dict:
        return None
    return members_of(declarations, value.type.name)


def class_of_weights(declarations: Declarations, t: Type) -> type | None:
    """The class that weights have in plain Python; None for other values."""
    if not isinstance(t, ParamsRef):
        return None
    cls = declarations.params[t.name].cls
    form = form_of(cls)
    if form is NumberedDict:
        return dict
    return base_of(cls) or (form if form in (dict, list) else cls)


def weight(ctx: FunctionContext, node: ast.expr, obj: T.Atom, name: str) -> T.Atom:
    """A field of weights: a weight, nested params, a number, a tuple of these for a list or a dict,
    or None for a missing one."""
    assert isinstance(obj, T.Var) and isinstance(obj.type, ParamsRef)
    declarations, owner = ctx.builder.declarations, obj.type.name
    fields = dict(declarations.params[owner].fields)

    def read(member: Member) -> T.Atom:
        if isinstance(member, T.Const):
            return member
        if isinstance(member, tuple):
            return make_tuple(ctx, tuple(map(read, member)), node, name)
        if isinstance(member, Mapping):
            return _make_dict(ctx, node, dict(zip(member, map(read, member.values()), strict=True)))
        if isinstance(member, Known):
            if isinstance(member.value, str):
                return ctx.builder.text(member.value)
            ctx.fail(
                "AC002",
                node,
                f"{name!r} among all of {authors(owner)} is no weight, but a "
                f"{type(member.value).__name__}",
                "the weights by their names, in a tuple",
            )
        if member is None:
            return ctx.let(T.Construct("None", ()), declarations.none(), node, name)
        var = ctx.let(T.ParamRead(obj, member), fields[member], node, member)
        ctx.origins[var.number] = f"declared in {authors(owner)}"
        return var

    found = read(members_of(declarations, owner)[name])
    variant = declarations.variants.get(owner)
    if variant is not None and name in variant.optional and isinstance(found, T.Var):
        ctx.optional.add(found.number)
    return found


def in_parts(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, only: Collection[str] | None = None
) -> T.Atom:
    """Weights that are a dict or a list, as a tuple of everything in them, or of what is under the
    keys `only`; any other value as it is."""
    declarations = ctx.builder.declarations
    form = form_of_type(declarations, value.type)
    if form not in COLLECTIONS:
        return value
    assert isinstance(value.type, ParamsRef)
    names = members_of(declarations, value.type.name) if only is None else only
    parts = {n: weight(ctx, node, value, n) for n in names}
    if form is dict:
        return _make_dict(ctx, node, parts)
    if form is NumberedDict:
        return _make_dict(ctx, node, {int(n): part for n, part in parts.items()})
    return make_tuple(ctx, tuple(parts.values()), node, "weights")


def _make_dict(ctx: FunctionContext, node: ast.expr, parts: Mapping[Any, T.Atom]) -> T.Var:
    values = tuple(parts.values())
    t = KeyedType(tuple(v.type for v in values), tuple(parts))
    made = ctx.let(T.MakeTuple(values), t, node, "weights")
    ctx.parts[made.number] = values
    return made
