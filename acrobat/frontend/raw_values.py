"""Strings, numbers, tuples, lists and dicts that are members of unions: from the union to the value
itself, and back."""

from __future__ import annotations

import ast
import collections.abc
import numbers
from collections.abc import Callable, Mapping

from ..ir import typed as T
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DataRef,
    DictType,
    IntArrayType,
    KeyedType,
    ListType,
    NamedTupleType,
    OptionalType,
    QueueType,
    SetType,
    TupleType,
    Type,
    UnionType,
)
from .class_fields import is_named_tuple
from .context import FunctionContext
from .pattern_tree import members
from .scope import Env

Datas = Mapping[str, T.DataDef]

_SCALARS: dict[Type, type] = {INT: int, BOOL: bool, TEXT: str}
# The classes of such values, and those by which `isinstance` may ask for several of them.
_CLASSES = (int, float, bool, str, tuple, list, dict, set, frozenset)
_ABSTRACT = (numbers.Number, numbers.Integral, numbers.Real, *vars(collections.abc).values())


class _OnlyInt(type):
    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is int


class _Int(metaclass=_OnlyInt):
    """Has int as a subclass, but not bool."""


def exactly(cls: type) -> type:
    """A class for `isinstance(x, ...)` that holds where `type(x) is cls` does."""
    return _Int if cls is int else cls


def may_be_raw(cls: type) -> bool:
    """Whether objects of the class `cls` are such values."""
    return cls in (_Int, *_CLASSES, *_ABSTRACT) or is_named_tuple(cls)


def known_class(t: Type) -> type | None:
    """The class that all values of type `t` have in Python; None if that is not known: a float may
    be an int."""
    match t:
        case NamedTupleType(cls=cls):
            return cls
        case QueueType() | OptionalType() | IntArrayType():
            return None
        case SetType():
            return frozenset if t.frozen else set
        case DictType() | KeyedType():
            return dict
        case ListType():
            return tuple if t.frozen else list
        case TupleType():
            return tuple
    return _SCALARS.get(t)


def raw_type(datas: Datas, t: Type) -> Type | None:
    """The type of the value itself, of one that is known to be of such a member."""
    if not isinstance(t, DataRef) or not datas[t.name].raw:
        return None
    fields = datas[t.name].fields
    return fields[0][1] if fields else None  # none while its type is being read


def known_first(ctx: FunctionContext, t: Type, kinds: tuple[type, ...], otherwise: str) -> str:
    """The remedy where only a value of one of these classes will do: to find out first whether this
    one is. `otherwise`, if a value of type `t` never is."""
    datas = ctx.builder.declarations.datas
    fitting = [d.cls.__name__ for d in map(datas.__getitem__, members(t)) if d.cls in kinds]
    return f"`isinstance(x, {fitting[0]})` first" if fitting else otherwise


def raw_types(datas: Datas, t: Type) -> list[Type | None]:
    """Of each member of a union, the type of the value itself, or None if it is a data type."""
    return [raw_type(datas, DataRef(m)) for m in members(t)]


def unwrapped(ctx: FunctionContext, value: T.Atom, node: ast.AST, env: Env) -> T.Atom:
    """The value itself if it is known of which member it is, and a number as a float if it is known
    to be one; otherwise `value`."""
    if not isinstance(value, T.Var) or not members(value.type):
        return value
    datas = ctx.builder.declarations.datas
    t = raw_type(datas, value.type)
    if isinstance(value.type, UnionType) and is_number(datas, value.type):
        return _number(ctx, value, node)
    if t is None:
        return value
    known = env.narrowed.get(value, {}).get(T.RAW_VALUE)
    found = known or ctx.let(T.GetField(value, T.RAW_VALUE), t, node, value.name)
    if known is None:
        ctx.origins[found.number] = ctx.origins.get(value.number, "")
    ctx.wrapped[found.number] = value
    return found


def is_number(datas: Datas, t: Type) -> bool:
    """Whether `t` is a union whose members are numbers."""
    kinds = {*raw_types(datas, t)}
    return FLOAT in kinds and kinds <= {INT, FLOAT, BOOL}


def _number(ctx: FunctionContext, value: T.Var, node: ast.AST) -> T.Var:
    """Of a union of numbers, the number as a float."""
    out = ctx.computed(value.name, FLOAT, node)
    ctx.origins[out.number] = ctx.origins.get(value.number, "")
    ctx.wrapped[out.number] = value

    def as_float(name: str, fields: dict[str, T.Var]) -> T.Atom:
        found = fields[T.RAW_VALUE]
        if found.type == BOOL:
            found = ctx.let(T.Scalar("int", (found,)), INT, node)
        return found if found.type == FLOAT else ctx.let(T.Scalar("float", (found,)), FLOAT, node)

    ctx.stmts.append(T.Match((out,), value, arms_of(ctx, value, as_float), ctx.span(node)))
    return out


def arms_of(
    ctx: FunctionContext, value: T.Var, lower: Callable[[str, dict[str, T.Var]], T.Atom]
) -> tuple[T.Arm, ...]:
    """An arm for each member of the union `value`, which ends with what `lower` makes of the member
    and its fields."""
    datas = ctx.builder.declarations.datas
    arms: list[T.Arm] = []
    for name in sorted(members(value.type), key=lambda n: datas[n].tag):
        fields = {n: T.Var(n, t) for n, t in datas[name].fields}
        for field in fields.values():
            ctx.origins[field.number] = ctx.origins.get(value.number, "")
        with ctx.region() as stmts:
            found = lower(name, fields)
        arms.append(T.Arm(name, tuple(fields.values()), T.Region(tuple(stmts), T.Yield((found,)))))
    return tuple(arms)


def member_for(datas: Datas, t: Type, wanted: Type) -> list[tuple[str, Type]]:
    """The members of the union `wanted` that a value of type `t` may become, those of its own kind
    first, with the types of their values."""
    found = [
        (m, datas[m].fields[0][1]) for m in members(wanted) if datas[m].raw and datas[m].fields
    ]
    return sorted(found, key=lambda one: _kind(one[1]) != _kind(t))


def _kind(t: Type) -> tuple[type[Type], bool]:
    return type(t), isinstance(t, ListType) and t.frozen


def wrapper_of(ctx: FunctionContext, atom: T.Atom) -> T.Atom:
    """The value of a union that `atom` was unwrapped from; if it was not, `atom`."""
    return ctx.wrapped.get(atom.number, atom) if isinstance(atom, T.Var) else atom
