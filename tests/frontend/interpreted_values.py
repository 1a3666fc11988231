"""Values of the interpreter as plain Python has them, and weights by path."""

from __future__ import annotations

from typing import Any

from acrobat.ir.types import (
    DictType,
    KeyedType,
    ListType,
    MemberType,
    OptionalType,
    TupleType,
    Type,
)


def weight_at(params: Any, field: str) -> Any:
    """`p.w`; of a list of weights or params `layers.0`, of a dict `named.left`."""
    for part in field.split("."):
        if isinstance(params, dict):
            params = params[part]
        else:
            params = params[int(part)] if part.isdigit() else getattr(params, part)
    return params


def outward(value: Any, t: Type) -> Any:
    """Return a value as plain Python has it."""
    match t:
        case OptionalType(items=(_, item)):
            return outward(value[1], item) if value[0] else None
        case DictType(items=(keys, values)):
            return dict(zip(outward(value[0], keys), outward(value[1], values), strict=True))
        case KeyedType(items, keys):
            return dict(zip(keys, map(outward, value, items), strict=True))
        case TupleType(items):
            return tuple(map(outward, value, items))
        case ListType(item):
            return [outward(v, item) for v in value]
        case MemberType():
            return t.members[value]
    return value
