"""`Literal[0, 1]` and `Literal["NP", "VP"]`; enumerations."""

from __future__ import annotations

import enum
from typing import Any

from .bad_hint import BadHint


def literal_type(values: tuple[Any, ...]) -> type:
    """The type of the values of a Literal: bool, int or str."""
    found = {
        next((t for t in (int, str) if isinstance(v, t)), type(v))
        if isinstance(v, enum.Enum)
        else type(v)
        for v in values
    }
    if len(found) == 1 and found <= {int, bool, str}:
        return found.pop()
    raise BadHint(
        "a Literal of other than ints, or than strings", '`Literal[0, 1]`, `Literal["a", "b"]`'
    )


def enumeration_class(cls: type[enum.Enum]) -> type:
    """int or str if the members of an enumeration are that themselves, else the class itself, whose
    members can be told apart; BadHint for what is more than its members."""
    for scalar in (int, str):
        if issubclass(cls, scalar):
            return scalar
    own = {"__eq__", "__bool__", "__len__"} & {n for c in cls.__mro__[:-1] for n in vars(c)}
    if issubclass(cls, enum.Flag) or own or not len(cls):
        raise BadHint(
            f"{cls.__name__} is no enumeration of members that are compared by identity",
            "an `Enum` without a meaning of its own for `==` and truth; an `IntFlag` for flags",
        )
    return cls
