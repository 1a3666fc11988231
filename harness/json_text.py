"""Parsing of untrusted JSON: a value or an error, and never the end of the process."""

from __future__ import annotations

import json
from typing import Any

# Of brackets in all, and so of what is nested. The parser recurses in C: where Python's own limit
# has been raised, as for recursive models, a file of brackets ends the process (SIGSEGV).
_MOST_BRACKETS = 8000


def parse(text: str) -> Any:
    """The value; ValueError if the text is no JSON, or has more brackets than anything of ours."""
    brackets = text.count("[") + text.count("{")
    if brackets > _MOST_BRACKETS:
        raise ValueError(f"{brackets} lists and mappings; at most {_MOST_BRACKETS}")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
