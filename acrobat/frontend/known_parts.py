"""What is known of weights when the model is compiled and is no weight: what their class defines,
and without an `@ab.params` class what is in their fields, `p.activation`, as if the module named
it."""

from __future__ import annotations

import ast
from typing import Any

from ..ir import typed as T
from ..ir.types import ParamsRef, Type
from ..lang.made_weights import COLLECTIONS, form_of
from .class_methods import interned
from .scope import Env
from .signatures import ModuleBuilder
from .weight_structure import Known, Variant


def known_part(builder: ModuleBuilder, node: ast.expr, env: Env, otherwise: Any) -> Any:
    """The object that `p.name`, `p["name"]` or `p.get("name")` is if `p` are weights and it is no
    weight; else `otherwise`."""
    match node:
        case ast.Call(ast.Attribute(owner, "get"), [ast.Constant(str(name)), *_], []):
            pass
        case ast.Attribute(owner, name) | ast.Subscript(owner, ast.Constant(str(name))):
            pass
        case _:
            return otherwise
    variant = _variant(builder, owner, env)
    if variant is None:
        return otherwise
    if name not in variant.members:
        return _of_class(variant.definition.cls, name, otherwise)
    member = variant.members[name]
    return interned(builder, member.value) if isinstance(member, Known) else otherwise


def _of_class(cls: type, name: str, otherwise: Any) -> Any:
    """What the author's class defines for its objects under this name; no function."""
    if form_of(cls) in COLLECTIONS:
        return otherwise
    found = getattr(cls, name, otherwise)
    return otherwise if callable(found) or hasattr(type(found), "__get__") else found


def weights_named(builder: ModuleBuilder, node: ast.expr, env: Env) -> str | None:
    """The type, by name, of the weights that `node` stands for, a name or a field of them; None if
    these are no weights."""
    t: Type | None = None
    match node:
        case ast.Name(name):
            found = env.names.get(name)
            t = found.type if isinstance(found, T.Var) else None
        case ast.Attribute(value, name) | ast.Subscript(value, ast.Constant(str(name))):
            owner = weights_named(builder, value, env)
            t = None if owner is None else dict(builder.declarations.params[owner].fields).get(name)
    return t.name if isinstance(t, ParamsRef) else None


def _variant(builder: ModuleBuilder, node: ast.expr, env: Env) -> Variant | None:
    named = weights_named(builder, node, env)
    return None if named is None else builder.declarations.variants.get(named)
