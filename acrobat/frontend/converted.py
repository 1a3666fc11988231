"""The conversion to suggest where a value has one type and another is required."""

from __future__ import annotations

from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    IntArrayType,
    KeyedType,
    ListType,
    OptionalType,
    TensorType,
    Type,
)
from .pattern_tree import members


def converted(text: str, given: Type, wanted: Type, name: str) -> str:
    """Code that converts `text`, of type `given`, to the wanted type; if there is none, the advice
    to change it or the hint of `name`."""
    given_members, wanted_members = set(members(given)), set(members(wanted))
    match given, wanted:
        case _, _ if given_members - wanted_members == {NONE.name} or (
            isinstance(given, OptionalType) and given.item == wanted
        ):
            return f"`if {text} is not None:` around it"
        case _, _ if given_members & wanted_members:
            return f"`match {text}:`, with a case for {wanted}"
        case IntArrayType(item), ListType(its) if item == its:
            return f"`list({text})`"
        case _, ListType(item) if item == given:
            return f"`[{text}]`"
        case ListType(item), _ if item == wanted:
            return f"one of its items, `{text}[0]`"
        case _, _ if wanted == INT and given == FLOAT:
            return f"`int({text})`"
        case _, _ if wanted == INT and given == BOOL:
            return f"`1 if {text} else 0`"
        case TensorType(), _ if wanted in (INT, FLOAT):
            return f"a number in it, `ops.{'argmax' if wanted == INT else 'item'}(...)`"
        case TensorType((s,)), TensorType((t,)):
            return f'`{text} @ w`, with `w: Float32[Tensor, "{s} {t}"]` in the weights'
        case TensorType((_, row)), TensorType((wide,)) if row == wide:
            return f"one of its rows, `{text}[0]`"
        case KeyedType(), _:
            return f"a parameter without a hint: `{name}` is then what it is called with"
    return f"a {wanted}, or another hint of {name!r}"
