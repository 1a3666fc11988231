"""What tells two types apart that are written alike: the objects of a class of the author's, whose
type has no more than a name, may differ in their fields."""

from __future__ import annotations

from ..ir.types import ListType, NamedTupleType, ParamsRef, TupleType, Type


def difference(a: Type, b: Type) -> str:
    """What to add to a message that says `a` and `b`: the field that differs, with its two types;
    empty if the two are not written alike, or in no field."""
    found = _field(a, b) if str(a) == str(b) else None
    return "" if found is None else f": {found[0]} is {found[1]} in one, {found[2]} in the other"


def one_field(a: Type, b: Type) -> str:
    """What to write instead of two types that are written alike; else empty."""
    found = _field(a, b) if str(a) == str(b) else None
    return "" if found is None else f"one type of {found[0]} everywhere"


def weights_in(t: Type) -> tuple[str, str]:
    """What to add to a message about a choice between two values of type `t`, and what to write
    instead: which of their fields is weights. Two empty strings if none is."""
    parts: tuple[Type, ...] = (t.item,) if isinstance(t, ListType) else ()
    parts = t.items if isinstance(t, TupleType) else parts
    for i, part in enumerate(parts):
        if isinstance(t, NamedTupleType) and isinstance(part, ParamsRef):
            field = t.fields[i]
            return (
                f": {t}.{field} is weights",
                f"{field!r} as an argument of what needs it, in place of a field",
            )
        if any(inner := weights_in(part)):
            return inner
    return "", ""


def _field(a: Type, b: Type) -> tuple[str, Type, Type] | None:
    """The innermost field in which two types that are written alike differ, and its types."""
    match a, b:
        case ListType(x), ListType(y):
            return _field(x, y)
        case TupleType(), TupleType() if len(a.items) == len(b.items):
            for i, (x, y) in enumerate(zip(a.items, b.items, strict=True)):
                if x == y:
                    continue
                inner = _field(x, y) if str(x) == str(y) else None
                if inner is None and isinstance(a, NamedTupleType) and str(x) != str(y):
                    return f"{a}.{a.fields[i]}", x, y
                if inner is not None:
                    return inner
    return None
