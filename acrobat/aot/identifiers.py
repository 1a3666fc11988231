"""The identifiers of a generated program.

Each that stands for something of the author's is a kind, a number, and what the author calls it,
for reading: `v7_left`. Kind and number alone tell it from all others: two functions called `f` are
`fn1_f` and `fn4_f`, a variable called `int` is `v2_int`, and neither keywords, macros nor the names
of the run-time are of this form. What the emitters name themselves (`cx`, `args`, `count_3`) has
none of these kinds.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["v", "fn", "out"]
"""A variable; a function; the struct of its results."""

_LONGEST = 32


def identifier(kind: Kind, number: int, name: str) -> str:
    """The identifier of what the author calls `name`, which may be any text."""
    text = readable(name)
    return f"{kind}{number}_{text}" if text else f"{kind}{number}"


def readable(name: str) -> str:
    """What can be read of `name` in ASCII letters, digits and `_`, not too long; it begins and ends
    with neither of the `_`, of which no two are neighbours (C++ reserves such names)."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:_LONGEST].rstrip("_")
