"""Which types may stand for which: the subtype order, and its joins."""

from __future__ import annotations

from dataclasses import replace

from .types import (
    DataRef,
    IntArrayType,
    IntType,
    KeyedType,
    ListType,
    NothingType,
    OptionalType,
    TextType,
    TupleType,
    Type,
    UnionType,
)

# What distinguishes types of one class besides their items.
_KINDS = ("name", "keys", "frozen", "bounded", "counts")


def is_subtype(sub: Type, sup: Type) -> bool:
    """Whether a value of `sub` may stand where `sup` is expected (a member for its union)."""
    if sub == sup or isinstance(sub, NothingType):
        return True
    if isinstance(sub, ListType) and isinstance(sup, ListType):
        if isinstance(sub, IntArrayType) and not isinstance(sup, IntArrayType):
            return False
        return is_subtype(sub.item, sup.item)
    if isinstance(sup, UnionType):
        if isinstance(sub, DataRef):
            return sub.name in sup.members
        return isinstance(sub, UnionType) and set(sub.members) <= set(sup.members)
    if isinstance(sub, TupleType) and isinstance(sup, TupleType) and _same_kind(sub, sup):
        return len(sub.items) == len(sup.items) and all(
            is_subtype(a, b) for a, b in zip(sub.items, sup.items, strict=True)
        )
    return False


def _same_kind(sub: TupleType, sup: TupleType) -> bool:
    """Whether `sub` may stand for `sup` as far as the kind of tuple goes: a named tuple is also a
    plain one."""
    if type(sub) is TupleType or type(sup) is TupleType:
        kept = isinstance(sub, (OptionalType, KeyedType))
        return not kept and type(sup) in (TupleType, type(sub))
    names = [[getattr(t, n, "") for n in _KINDS] for t in (sub, sup)]
    return type(sub) is type(sup) and names[0] == names[1]


def _told_of_both(a: Type, b: Type) -> Type:
    """Equal types as one: its ints and strings are members of enumerations if both say so."""
    if a is b:
        return a
    if isinstance(a, (IntType, TextType)) and isinstance(b, (IntType, TextType)):
        return b if a.of_members else a
    if isinstance(a, ListType) and isinstance(b, ListType):
        return replace(a, item=_told_of_both(a.item, b.item))
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        pairs = zip(a.items, b.items, strict=True)
        return replace(a, items=tuple(_told_of_both(x, y) for x, y in pairs))
    return a


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that holds both, or None: what an `if` yields from two branches."""
    if a == b:
        return _told_of_both(a, b)
    if is_subtype(a, b):
        return b
    if is_subtype(b, a):
        return a
    if isinstance(a, IntArrayType) or isinstance(b, IntArrayType):
        return None
    if isinstance(a, ListType) and isinstance(b, ListType):
        item = join(a.item, b.item)
        return None if item is None else ListType(item, frozen=a.frozen and b.frozen)
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.items) == len(b.items):
        if not _same_kind(a, b):
            return None
        items = [join(x, y) for x, y in zip(a.items, b.items, strict=True)]
        return None if None in items else replace(a, items=tuple(i for i in items if i is not None))
    members: list[str] = []
    for t in (a, b):
        if isinstance(t, DataRef):
            members.append(t.name)
        elif isinstance(t, UnionType):
            members.extend(t.members)
        else:
            return None
    return UnionType(tuple(dict.fromkeys(members)))
