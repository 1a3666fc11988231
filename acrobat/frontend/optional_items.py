"""Lists and dicts whose items may be None: `row = [None] * n`, and later `row[i] = x`; or numbers
beside tensors of rank 0: `scores = [0.0] * n`, and later `scores[i] = h @ w`.

What the items are is known only where another one is stored, so the function is lowered a second
time, and the list then has items of that type, which may be None, from the beginning.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..ir.types import (
    FLOAT,
    INT,
    NOTHING,
    DictType,
    ListType,
    NamedTupleType,
    OptionalType,
    RecordType,
    TensorType,
    TupleType,
    Type,
)
from .context import FunctionContext
from .optional import joined
from .signatures import ModuleBuilder, Signature
from .syntax import root_name

_Key = tuple[int, Any, str]
_NUMBER = TensorType(())
# The types that are converted part by part.
_OF_PARTS = (TupleType, NamedTupleType, RecordType)


class Wanted(ast.expr):
    """The expression `value` where an item of type `type` is expected, which may be optional."""

    # Every node of a syntax tree has these, for code that copies trees.
    _fields = ("value", "type")
    value: ast.expr
    type: Type


def tell(ctx: FunctionContext, name: str, whole: Type, depth: int, value: Type) -> None:
    """Note that a value goes into the list or dict `name` of type `whole`, `depth` lists deep,
    where the items have another type, if there is a type for both."""
    both = common(_at(whole, depth), value)
    if both is not None:
        ctx.builder.optional_items[_key(ctx.signature, name)] = _replaced(whole, depth, both)


def pass_on(
    ctx: FunctionContext, tree: ast.FunctionDef, values: Any, given: Mapping[str, ast.expr]
) -> None:
    """Note what a function that could not be lowered for a call says of its parameters."""
    known = ctx.builder.optional_items
    for name, value in given.items():
        t = known.get((id(tree), tuple(values), name))
        if t is not None and isinstance(value, ast.Name):
            known[_key(ctx.signature, value.id)] = t


def wanted(ctx: FunctionContext, node: ast.expr, source: ast.expr, inside: bool) -> ast.expr:
    """`source`, which becomes the value of `node` (`inside`: an item of it), with what it makes of
    the types that `node` is to have."""
    t = ctx.builder.optional_items.get(_key(ctx.signature, root_name(node) or ""))
    depth = int(inside)
    while isinstance(node, ast.Subscript):
        depth, node = depth + 1, node.value
    return source if t is None else with_items(source, _at(t, depth))


def wanted_type(ctx: FunctionContext, node: ast.expr) -> Type | None:
    """The type that a local list or dict is to have, if its items were found to be of another."""
    name = node.id if isinstance(node, ast.Name) else ""
    return ctx.builder.optional_items.get(_key(ctx.signature, name))


def with_items(source: ast.expr, t: Type) -> ast.expr:
    """`source`, which makes a value of type `t`, with items that are converted to those of `t`."""
    if not _converts(t) or isinstance(source, Wanted):
        return source
    new = copy.copy(source)
    match new, t:
        case _ if isinstance(t, OptionalType) or type(t) in _OF_PARTS or t in (FLOAT, _NUMBER):
            made = Wanted()
            made.value, made.type = source, t
            return ast.copy_location(made, source)
        case ast.List(), ListType(item):
            new.elts = [with_items(e, item) for e in new.elts]
        case ast.ListComp(), ListType(item):
            new.elt = with_items(new.elt, item)
        case ast.BinOp(_, ast.Mult() | ast.Add()), ListType():
            new.left, new.right = (with_items(s, t) for s in (new.left, new.right))
        case ast.IfExp(), _:
            new.body, new.orelse = (with_items(s, t) for s in (new.body, new.orelse))
        case ast.Dict(), DictType(items=(_, ListType(value))):
            new.values = [with_items(v, value) for v in new.values]
        case ast.DictComp(), DictType(items=(_, ListType(value))):
            new.value = with_items(new.value, value)
        case _:
            return source
    return new


def to_try(builder: ModuleBuilder, signature: Signature, before: Mapping[_Key, Type]) -> list[str]:
    """The local lists of a function whose items were found to be of another type while it was
    lowered."""
    of = _key(signature, "")[:2]
    params = {name for name, _ in signature.params}
    found = builder.optional_items
    return [
        k[2] for k, t in found.items() if k[:2] == of and before.get(k) != t and k[2] not in params
    ]


def _key(signature: Signature, name: str) -> _Key:
    return id(signature.source.tree), signature.params, name


def common(a: Type, b: Type) -> Type | None:
    """The type of lists, dicts or items of both types, once they are converted."""
    if isinstance(a, ListType) and isinstance(b, ListType):
        item = common(a.item, b.item)
        return None if item is None else ListType(item, frozen=a.frozen and b.frozen)
    if type(a) is DictType and type(b) is DictType:
        values = common(a.items[1], b.items[1])
        return None if values is None else DictType((a.items[0], values))
    return FLOAT if {a, b} == {INT, FLOAT} else joined(a, b)


def _at(whole: Type, depth: int) -> Type:
    """The type of the items at a depth."""
    for _ in range(depth):
        inner = whole.items[1] if isinstance(whole, DictType) else whole
        if not isinstance(inner, ListType):
            return NOTHING
        whole = inner.item
    return whole


def _replaced(whole: Type, depth: int, new: Type) -> Type:
    """The type `whole` with `new` in place of the items at a depth."""
    if depth == 0:
        return new
    if isinstance(whole, DictType):
        keys, values = whole.items
        return replace(whole, items=(keys, _replaced(values, depth, new)))
    assert isinstance(whole, ListType)
    return replace(whole, item=_replaced(whole.item, depth - 1, new))


def _converts(t: Type) -> bool:
    """Whether a part of the type `t` is one to which a value is converted."""
    match t:
        case OptionalType():
            return True
        case TupleType() if type(t) in _OF_PARTS:
            return any(map(_converts, t.items))
        case DictType(items=(_, values)):
            return _converts(values)
        case ListType(item):
            return _converts(item)
    return t in (FLOAT, _NUMBER)
