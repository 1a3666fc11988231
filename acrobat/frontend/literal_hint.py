"""`Literal[0, 1]` and `Literal["NP", "VP"]`."""

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
