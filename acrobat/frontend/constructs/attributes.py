"""Attributes: fields of data and of weights, constants of modules and classes."""

from __future__ import annotations

import ast
import enum
from typing import Any

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.types import (
    NOTHING,
    DataRef,
    MemberType,
    NamedTupleType,
    OptionalType,
    ParamsRef,
    Type,
    UnionType,
)
from ...lang.data import is_data
from ..context import MISSING, FunctionContext
from ..library_functions import instead_of_library
from ..object_numbers import ASKED
from ..pattern_tree import members
from ..plain_classes import NO_FIELD, is_plain_class
from ..presence import not_none, present, without_none
from ..registry import FIELDS, METHODS, expression
from ..scope import Env
from ..written import shown
from .constants import is_small_array, outside_value
from .literals import number, plain
from .members import attribute_of_member
from .methods import has_property, read_property
from .scalar_members import attribute_of_scalar
from .visitors import name_of_class
from .weight_fields import check_field, weight_field
from .weight_uses import attribute_of_chosen

_OUTSIDE = "a number, or pass it in as part of the weights or of the instance"
_NO_FIELDS = "values of @ab.data classes and weights have fields; of a tensor, `x.shape[0]`"


@expression(ast.Attribute)
def attribute(ctx: FunctionContext, node: ast.Attribute, env: Env) -> T.Atom:
    """`x.name`: a field, or a value that a module or a class defines."""
    found = plain(ctx.static(node, env))
    if isinstance(found, (tuple, list, dict, enum.Enum, enum.EnumType)):
        return outside_value(ctx, node, found, ast.unparse(node))
    if isinstance(found, (bool, int, float)):
        return number(ctx, node, found, f"{ast.unparse(node)} = {found}")
    if isinstance(found, str):
        return ctx.builder.text(found)
    read = is_data(type(found)) or is_plain_class(type(found)) or is_small_array(found)
    if found is None or read:
        return outside_value(ctx, node, found, ast.unparse(node))
    if found is not MISSING:
        instead = instead_of_library(found) or _OUTSIDE
        ctx.fail("AC002", node, f"{ast.unparse(node)} is not a value a model can use", instead)
    chosen = attribute_of_chosen(ctx, node, env) or name_of_class(ctx, node, env)
    if chosen is not None:
        return chosen
    obj = ctx.expression(node.value, env)
    if isinstance(obj, T.Var) and node.attr in env.narrowed.get(obj, {}):
        return env.narrowed[obj][node.attr]
    if without_none(obj.type) is not None:
        fault = f"AttributeError: {ast.unparse(node.value)} is None, and has no {node.attr!r}"
        obj = present(ctx, node.value, obj, fault)
    if isinstance(obj.type, OptionalType) and isinstance(obj.type.item, NamedTupleType):
        asked = getattr(node, ASKED, node.attr)
        fault = f"AttributeError: {shown(node.value)} is None, and has no {asked!r}"
        obj = not_none(ctx, node.value, obj, fault=fault)
    if isinstance(obj, T.Var) and has_property(ctx, obj.type, node.attr):
        return read_property(ctx, node, obj, env)
    match obj.type:
        case ParamsRef():
            return weight_field(ctx, node, obj)
        case DataRef(owner):
            data = ctx.builder.declarations.datas[owner]
            fields = dict(data.fields)
            if node.attr not in fields and not is_data(data.cls):
                return _constant_or_error(ctx, node, data.cls, owner, tuple(fields))
            return _declared(ctx, node, obj, owner, fields)
        case NamedTupleType(fields=names) if node.attr in names and isinstance(obj, T.Var):
            at = names.index(node.attr)
            return ctx.let(T.GetItem(obj, at), obj.type.items[at], node, node.attr)
        case NamedTupleType(name=owner) if owner in ctx.builder.declarations.records:
            cls = ctx.builder.declarations.records[owner]
            return _constant_or_error(ctx, node, cls, owner, obj.type.fields)
        case UnionType() if isinstance(obj, T.Var):
            return _common(ctx, node, obj)
        case MemberType():
            return attribute_of_member(ctx, node, obj)
    of_scalar = attribute_of_scalar(ctx, node, obj, env)
    if of_scalar is not None:
        return of_scalar
    handler = FIELDS.get((type(obj.type), node.attr))
    if (type(obj.type), node.attr) in METHODS:
        text = ast.unparse(node)
        ctx.fail(
            "AC014",
            node,
            f"{text} is a method of a {obj.type}, and not called here",
            f"a call, or a lambda with one, `lambda x: {text}(x)`",
        )
    if handler is None:
        ctx.fail("AC014", node, f"a {obj.type} has no field {node.attr!r}", _NO_FIELDS)
    return handler(ctx, node, obj, env)


def _constant_or_error(
    ctx: FunctionContext, node: ast.Attribute, cls: type, owner: str, fields: tuple[str, ...]
) -> T.Atom:
    """What a plain class defines for its objects, which have no field of this name."""
    constant = getattr(cls, node.attr, MISSING)
    if constant is MISSING or callable(constant):
        check_field(ctx, node, owner, [f for f in fields if f != NO_FIELD])
    return outside_value(ctx, node, constant, ast.unparse(node))


def _declared(
    ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, owner: str, fields: dict[str, Type]
) -> T.Var:
    """A field that a data class declares."""
    check_field(ctx, node, owner, fields)
    assert isinstance(obj, T.Var)
    var = ctx.let(T.GetField(obj, node.attr), fields[node.attr], node, node.attr)
    ctx.origins[var.number] = f"declared in {owner}"
    return var


def _common(ctx: FunctionContext, node: ast.Attribute, obj: T.Var) -> T.Var:
    """A field that every member of a union has, or its class in place of a field."""
    datas = ctx.builder.declarations.datas
    names = sorted(members(obj.type), key=lambda m: datas[m].tag)
    text = ast.unparse(node.value)
    constants = {m: _constant_of(datas[m], node.attr) for m in names}
    without = [
        m for m in names if node.attr not in dict(datas[m].fields) and constants[m] is MISSING
    ]
    if without:
        ctx.fail(
            "AC014",
            node,
            f"{text} may be any of {obj.type}: which one has {node.attr!r} is not known here",
            f"`match {text}:` with a case for each",
        )
    t: Type = NOTHING
    arms: list[T.Arm] = []
    for name in names:
        fields = {n: T.Var(n, f) for n, f in datas[name].fields}
        found: T.Atom | None = fields.get(node.attr)
        with ctx.region() as stmts:
            if found is None:
                found = outside_value(ctx, node, constants[name], ast.unparse(node))
        both = join(t, found.type)
        if both is None:
            ctx.fail(
                "AC008",
                node,
                f"{node.attr!r} is {t} in {arms[-1].data} and {found.type} in {name}",
                f"`match {text}:` with a case for each",
            )
        t = both
        region = T.Region(tuple(stmts), T.Yield((found,)))
        arms.append(T.Arm(name, tuple(fields.values()), region))
    out = ctx.computed(node.attr, t, node)
    ctx.stmts.append(T.Match((out,), obj, tuple(arms), ctx.span(node)))
    return out


def _constant_of(data: T.DataDef, name: str) -> Any:
    """What a plain class defines for its objects; MISSING if that is no value."""
    if data.raw or is_data(data.cls):
        return MISSING
    found = getattr(data.cls, name, MISSING)
    return MISSING if callable(found) or hasattr(type(found), "__get__") else found
