"""`getattr(x, name)` and `hasattr(x, name)` with a name that is known when the model is compiled,
such as `f"layer{i}"` in an unrolled loop over weights."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    TEXT,
    DataRef,
    MemberType,
    NamedTupleType,
    OptionalType,
    ParamsRef,
    RecordType,
    TensorType,
    Type,
    UnionType,
)
from ...lang.made_weights import COLLECTIONS
from ..context import MISSING, FunctionContext
from ..narrowing import members_with
from ..pattern_tree import members
from ..raw_values import known_class
from ..registry import Arity, function
from ..scope import Env
from ..weight_parts import form_of_type, members_of
from ..written import known, placed
from .methods import classes_of
from .pattern_tests import FALSE, TRUE, tell_members


@function(getattr, Arity(2, 3))
def getattr_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`getattr(x, "name")`: `x.name`; `getattr(x, "name", default)`."""
    return ctx.expression(attribute_or_default(ctx, node, env), env)


def attribute_or_default(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.expr:
    """What `getattr` gives: `x.name`, or its third argument."""
    read = attribute_named(ctx, node, env)
    if len(node.args) < 3:
        return read
    with ctx.region():
        there = _has(ctx, node, read, env.copy())
    if not isinstance(there, T.Const) and isinstance(read.value, (ast.Name, ast.Attribute)):
        named = ast.Call(known(hasattr), [read.value, ast.Constant(read.attr)], [])
        return placed(ast.IfExp(named, read, node.args[2]), node)
    if not isinstance(there, T.Const):
        ctx.fail(
            "AC012",
            node,
            f"which of the values that {ast.unparse(node.args[0])} may be have {read.attr!r} is "
            "not known here",
            f"a name for it, `x = {ast.unparse(node.args[0])}`, and "
            f"`getattr(x, {read.attr!r}, ...)`",
        )
    return read if there.value else node.args[2]


@function(hasattr, Arity(2, 2))
def hasattr_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`hasattr(x, "name")`; of a union, which of its members have it, as `isinstance` tells."""
    return _has(ctx, node, attribute_named(ctx, node, env), env)


def attribute_named(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Attribute:
    """`x.name` for the first two arguments of `node`; an error if the name is not known."""
    owner, name = node.args[:2]
    found = known_name(ctx, name, env)
    if found is None:
        text = ast.unparse(name)
        ctx.fail(
            "AC012",
            name,
            f"the name that {ast.unparse(node.func)} looks up is not known when the model is "
            "compiled",
            f'a dict of weights, `p["layers"][{text}]`, or the field itself, `x.name`',
        )
    return ast.copy_location(ast.Attribute(owner, found, ast.Load()), node)


def known_name(ctx: FunctionContext, node: ast.expr, env: Env) -> str | None:
    """The string that `node` is when the model is compiled; None if it is none that is an
    attribute's name."""
    if isinstance(node, ast.Constant):
        found = node.value
    else:
        with ctx.region():
            value = ctx.peek(node, env.copy())
        found = value.value if isinstance(value, T.Const) and value.type == TEXT else None
    return str.__str__(found) if isinstance(found, str) and found.isidentifier() else None


def _has(ctx: FunctionContext, node: ast.Call, read: ast.Attribute, env: Env) -> T.Atom:
    """Whether there is such an attribute."""
    outside = ctx.static(read.value, env)
    if outside is not MISSING:
        return T.Const(hasattr(outside, read.attr), BOOL)
    owner = ctx.peek(read.value, env)
    if isinstance(owner.type, UnionType) and isinstance(owner, T.Var):
        kept = members_with(ctx, read.attr) & {*members(owner.type)}
        if len(kept) in (0, len(members(owner.type))):
            return TRUE if kept else FALSE
        return tell_members(ctx, node, owner, {m: lambda fields: TRUE for m in kept})
    there = _of_type(ctx, owner.type, read.attr)
    if there is None:
        text, instead = ast.unparse(read.value), ""
        if isinstance(owner.type, OptionalType):
            instead = f"`{text} is not None` first"
        ctx.fail(
            "AC012",
            node,
            f"whether {text}, a {owner.type}, has {read.attr!r} is not known here",
            instead
            or f"a field that is None where there is nothing, `{text}.{read.attr} is not None`",
        )
    return TRUE if there else FALSE


def _of_type(ctx: FunctionContext, t: Type, name: str) -> bool | None:
    """Whether all values of a type have such an attribute, or none has; None if some may."""
    declarations = ctx.builder.declarations
    fields: Any = ()
    match t:
        case ParamsRef(owner):
            form = form_of_type(declarations, t)
            fields = members_of(declarations, owner) if form not in COLLECTIONS else ()
            return name in fields or any(hasattr(c, name) for c in classes_of(ctx, t) or [dict])
        case DataRef(owner):
            fields = dict(declarations.datas[owner].fields)
        case NamedTupleType(fields=fields):  # also a record, an object that the model makes
            pass
        case MemberType():
            return hasattr(t.cls, name)
        case TensorType():
            return hasattr(np.ndarray if t.dims else np.float32, name)
        case _:
            cls = float if t == FLOAT else known_class(t)
            return None if cls is None else hasattr(cls, name)
    if name in fields or any(hasattr(c, name) for c in classes_of(ctx, t)):
        return True
    # An object of a plain class may be given more than its class says, but not by the model.
    said = isinstance(t, RecordType) or all(
        dataclasses.is_dataclass(c) or issubclass(c, tuple) for c in classes_of(ctx, t)
    )
    return False if said else None
