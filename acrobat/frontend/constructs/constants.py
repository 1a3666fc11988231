"""Python values from outside of the model: numbers, None, data."""

from __future__ import annotations

import ast
import dataclasses
import enum
from functools import cached_property
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.subtypes import is_subtype
from ...ir.type_maps import member_type
from ...ir.type_queries import may_be_key
from ...ir.types import INT, NOTHING, DataRef, DictType, ListType, NamedTupleType, Type
from ...limits import MAX_CONSTANTS
from ..bad_hint import BadHint
from ..context import FunctionContext
from ..emit import list_op, make_tuple, widened
from ..frozen_lists import as_int_array
from ..optional import coerced, joined
from ..plain_classes import NO_FIELD, is_plain_class, order_of
from ..scope import Env
from ..type_hints import NoHint, hint_of
from ..written import call, placed
from .literals import content, is_member, member_constant, number
from .named_tuples import check_named_tuple


def outside_value(ctx: FunctionContext, node: ast.AST, value: Any, text: str) -> T.Atom:
    """A Python value as a value of the model; `text` names it in errors."""
    if is_member(value):
        return member_constant(ctx, node, value)
    if isinstance(value, enum.Enum):
        ctx.builder.declarations.enumerations.add(type(value))
        constant = outside_value(ctx, node, content(value), text)
        assert isinstance(constant, T.Const)
        return T.Const(constant.value, member_type(constant.type))
    if isinstance(value, enum.EnumType):
        return _list(ctx, node, list(value), text)
    if value is None:
        return ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), node)
    if isinstance(value, (bool, int, float)):
        return number(ctx, node, value, f"{text}, {value},")
    if isinstance(value, str):
        return ctx.builder.text(value)
    if isinstance(value, tuple):
        return _tuple(ctx, node, value, text)
    if isinstance(value, (list, dict)) and len(value) > MAX_CONSTANTS:
        ctx.fail(
            "AC002",
            node,
            f"{text} is a {type(value).__name__} of {len(value)}; {MAX_CONSTANTS} are the most",
            "one item of it: `items[key]`, `items.get(key, default)`, `key in items`",
        )
    if isinstance(value, list):
        return _list(ctx, node, value, text)
    if isinstance(value, dict):
        of_value = f"a value of {text}"
        lists = [_list(ctx, node, list(value), text), _list(ctx, node, [*value.values()], of_value)]
        t = DictType((lists[0].type, lists[1].type))
        assert isinstance(lists[0].type, ListType)
        if may_be_key(lists[0].type.item):
            return ctx.let(T.MakeTuple(tuple(lists)), t, node, "dict")
    if is_small_array(value) and value.dtype.kind == "i":
        return as_int_array(_list(ctx, node, value.tolist(), text))
    if is_small_array(value):
        return ctx.expression(placed(call(np.array, _written(value)), node), Env())
    if ctx.builder.declarations.is_data(type(value)):
        return _data(ctx, node, value, text)
    if is_plain_class(type(value)):
        return _object(ctx, node, value, text)
    ctx.fail(
        "AC002",
        node,
        f"{text} is a {type(value).__name__}, which a model cannot make",
        "a number, a string, None, data, a list, tuple or dict of these; or pass it at the call",
    )


def has_numbers(array: np.ndarray) -> bool:
    """Whether the items of an array of numpy are floats, truth values or ints, with which numpy
    computes as Python does: not those that wrap around early, uint8."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    return kind in "fb" or (kind == "i" and size >= 4)


def is_small_array(value: object) -> bool:
    """Whether `value` is a vector or matrix of floats or truth values that is written out where a
    model reads it, a constant of its kernels; or a vector of ints."""
    if not isinstance(value, np.ndarray) or not has_numbers(value):
        return False
    axes = (1,) if value.dtype.kind == "i" else (1, 2)
    return value.ndim in axes and 0 < value.size <= MAX_CONSTANTS


def _written(value: Any) -> ast.expr:
    if not isinstance(value, np.ndarray):
        return ast.Constant(value.item())
    return ast.List([_written(v) for v in value], ast.Load())


def _tuple(ctx: FunctionContext, node: ast.AST, value: tuple[Any, ...], text: str) -> T.Var:
    parts = tuple(outside_value(ctx, node, v, text) for v in value)
    if not hasattr(value, "_fields"):
        return make_tuple(ctx, parts, node)
    # The parts of a NamedTuple have names.
    cls = type(value)
    check_named_tuple(ctx, node, cls)
    types = tuple(p.type for p in parts)
    t = NamedTupleType(types, cls.__name__, value._fields, order=order_of(cls), cls=cls)
    return ctx.let(T.MakeTuple(parts), t, node, "state")


def _list(
    ctx: FunctionContext, node: ast.AST, values: list[Any], text: str, item: Type | None = None
) -> T.Var:
    """A list, of such items if that is said."""
    items = tuple(widened([outside_value(ctx, node, v, text) for v in values]))
    t = item or _item_type(ctx, node, tuple(i.type for i in items), text)
    pairs = zip(values, items, strict=True)
    items = tuple(_fitting(ctx, node, v, atom, t, text) for v, atom in pairs)
    return list_op(ctx, "make", items, ListType(t), node)


def _fitting(
    ctx: FunctionContext, node: ast.AST, value: Any, atom: T.Atom, wanted: Type, text: str
) -> T.Atom:
    """The Python value `value`, which `atom` is by itself, as a value of the type `wanted`."""
    found = coerced(ctx, atom, wanted, node)
    if is_subtype(found.type, wanted):
        return found
    match wanted:
        case ListType(item) if isinstance(value, (list, tuple)):
            return _list(ctx, node, list(value), text, item)
        case DictType((ListType(key), ListType(of))) if isinstance(value, dict):
            lists = (
                _list(ctx, node, [*value], text, key),
                _list(ctx, node, [*value.values()], text, of),
            )
            return ctx.let(T.MakeTuple(lists), wanted, node, "dict")
    ctx.fail("AC008", node, f"{text} is {found.type}, and {wanted} elsewhere", "one type")


def _item_type(ctx: FunctionContext, node: ast.AST, types: tuple[Type, ...], text: str) -> Type:
    """The type of the items of a list that have these types: if there is no other, a union, whose
    members their classes or lengths tell apart."""
    t: Type = NOTHING
    for one in types:
        both = joined(t, one)
        if both is None:
            break
        t = both
    else:
        return t
    declarations = ctx.builder.declarations
    try:
        return declarations.type_of(hint_of(declarations, types, declarations.adopted))
    except (NoHint, BadHint):
        ctx.fail("AC008", node, f"{text} has items of types {t} and {one}", "one type")


def _object(ctx: FunctionContext, node: ast.AST, value: Any, text: str) -> T.Var:
    """An object of a plain class, as it is when the model is compiled."""
    cls = type(value)
    own = getattr(value, "__dict__", None)
    fields = [f.name for f in dataclasses.fields(value)] if own is None else list(own)
    parts = tuple(
        outside_value(ctx, node, getattr(value, name), f"{text}.{name}") for name in fields
    )
    if not fields:
        fields, parts = [NO_FIELD], (T.Const(0, INT),)
    t = ctx.builder.declarations.record(cls, tuple(p.type for p in parts), tuple(fields))
    return ctx.let(T.MakeTuple(parts), t, node, cls.__name__)


def _data(ctx: FunctionContext, node: ast.AST, value: Any, text: str) -> T.Var:
    try:
        t = ctx.builder.declarations.type_of(type(value))
    except BadHint as error:
        ctx.fail("AC004", node, str(error), error.hint)
    assert isinstance(t, DataRef)
    declarations = ctx.builder.declarations
    fields = declarations.datas[t.name].fields
    others = _others(value, {name for name, _ in fields})
    if others:
        ctx.fail(
            "AC002",
            node,
            f"{text} has or lacks {others[0]!r}, unlike other objects of {t.name}",
            "the same fields for all objects of a class",
        )
    atoms = []
    for name, wanted in fields:
        given = getattr(value, name)
        atom = outside_value(ctx, node, given, f"{text}.{name}")
        declarations.met.note_field(type(value), name, atom.type)
        atoms.append(_fitting(ctx, node, given, atom, wanted, f"{text}.{name}"))
    return ctx.let(T.Construct(t.name, tuple(atoms)), t, node)


def _others(value: Any, fields: set[str]) -> list[str]:
    """The attributes that an object has beside its fields, or lacks of them."""
    own = getattr(value, "__dict__", None)
    if own is None:
        return [name for name in fields if not hasattr(value, name)]
    computed = {n for n in own if isinstance(getattr(type(value), n, None), cached_property)}
    return sorted(fields ^ (own.keys() - computed))
