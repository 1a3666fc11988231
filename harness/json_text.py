"""Parsing of untrusted JSON: returns a value or raises an error, but never crashes the process."""

from __future__ import annotations

import json
from typing import Any

# Limits the number of brackets, and thereby the nesting depth. The parser recurses in C: if
# Python's recursion limit was raised, as for recursive models, a file of brackets crashes it
# (SIGSEGV).
_MOST_BRACKETS = 8000


def parse(text: str) -> Any:
    """The parsed value; ValueError if the text is not JSON or has more than `_MOST_BRACKETS`."""
    brackets = text.count("[") + text.count("{")
    if brackets > _MOST_BRACKETS:
        raise ValueError(f"{brackets} lists and mappings; at most {_MOST_BRACKETS}")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
