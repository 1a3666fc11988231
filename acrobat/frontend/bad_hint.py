"""Type hints that are not types of the language: the error, and the wording of messages."""

from __future__ import annotations

import typing
from typing import Any

# What a field of an `@ab.data` class may be.
FIELDS = (
    "int, float, bool, str, Tensor[...], @ab.data classes, unions of them; and tuples, lists, "
    "dicts and sets of these"
)

# What else tells a type that a hint leaves open.
OR_EXAMPLES = "or `ab.compile(..., examples=instances)`"


class BadHint(Exception):
    """A hint that is not a type of the language; carries message and hint for the diagnostic."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def hint_text(hint: Any) -> str:
    """A hint as its author writes it."""
    return hint.__name__ if isinstance(hint, type) and not typing.get_origin(hint) else str(hint)
