"""What an author may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggest(name: str, known: Iterable[str]) -> str:
    """ "did you mean ...?" for the nearest known name, or an empty string."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean `{near[0]}`?" if near else ""
