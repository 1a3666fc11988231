"""The identifiers of a generated program.

An identifier for something that the author named consists of a kind, a number, and the author's
name, for readability: `v7_left`. Kind and number alone make it unique: two functions called `f` are
`fn1_f` and `fn4_f`, a variable called `int` is `v2_int`, and no keyword, macro or name of the
runtime has this form. Names that the emitters introduce (`cx`, `args`, `count_3`) have none of
these kinds.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["v", "fn", "out"]
"""A variable; a function; the struct of its results."""

_LONGEST = 32


def identifier(kind: Kind, number: int, name: str) -> str:
    """The identifier for the author's `name`, which may be any text."""
    text = readable(name)
    return f"{kind}{number}_{text}" if text else f"{kind}{number}"


def readable(name: str) -> str:
    """`name` reduced to ASCII letters, digits and `_`, and to a limited length. It neither begins
    nor ends with `_`, and has no two of them in a row (C++ reserves such names)."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:_LONGEST].rstrip("_")
