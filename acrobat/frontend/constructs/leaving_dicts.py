"""Dicts with defaults where they leave the function that made them (default_dicts.py)."""

from __future__ import annotations

import ast
from dataclasses import replace

from ...ir.subtypes import is_subtype
from ...ir.types import DefaultDictType, DictType, Type
from ..context import FunctionContext
from ..scope import Env
from ..signatures import ModuleBuilder, Signature
from .changed_parameters import changes, closure_by
from .changed_results import arguments


class Leaving(ast.expr):
    """The dict `value`, which is a plain one by now, as one with defaults; `counts`: a Counter."""

    # Every node of a syntax tree has these, for code that copies trees.
    _fields = ("value", "counts")
    value: ast.expr
    counts: bool


def leaving(node: ast.Name, counts: bool) -> Leaving:
    """A mention of the dict that gives it away."""
    made = Leaving()
    made.value, made.counts = node, counts
    return ast.copy_location(made, node)


def only_read(ctx: FunctionContext, call: ast.Call, node: ast.Name) -> bool:
    """Whether a call gives the dict `node` to an author's function that does not change it."""
    found = ctx.static(call.func, Env())
    closure = closure_by(ctx, found)
    if closure is None:
        return False
    changed = changes(ctx, found, closure)
    given = [name for name, value in arguments(call, closure.tree) if value is node]
    return len(given) == 1 and given[0] not in changed


def keeps_defaults(ctx: FunctionContext, given: Type, hint: Type) -> bool:
    """Whether a function whose hint says `dict[...]` returns a dict with defaults: its callers then
    know of them. Calls of an `@ab.model` are compiled for the hint."""
    if not isinstance(given, DefaultDictType) or type(hint) is not DictType:
        return False
    fits = all(is_subtype(g, h) for g, h in zip(given.items, hint.items, strict=True))
    return fits and not ctx.signature.is_model


def returned(ctx: FunctionContext, types: list[Type], hint: Type) -> Type:
    """The type of the result of a function with a hint, of which these are what it returns."""
    kept = [t for t in types if isinstance(t, DefaultDictType)]
    if not kept or type(hint) is not DictType:
        return hint
    if len(kept) < len(types) or len({t.counts for t in kept}) > 1:
        tree = ctx.source.tree
        ctx.error(
            "AC021",
            tree,
            f"{tree.name} returns {kept[0]} on one path and {hint} on another",
            "`dict(d)` of the first",
        )
    return replace(kept[0], items=hint.items)


def with_result(builder: ModuleBuilder, signature: Signature, result: Type) -> Signature:
    """A function with another type of its result, also where it calls itself."""
    for key, known in builder.instances.items():
        if known.name == signature.name:
            builder.instances[key] = replace(known, result=result)
    return replace(signature, result=result)
