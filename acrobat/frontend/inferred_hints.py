"""Which hints of a model leave a type to be inferred from values."""

from __future__ import annotations

from typing import Any

from .class_fields import is_named_tuple, part_hints
from .declarations import Declarations
from .open_hints import leaves_open, mentioned
from .plain_classes import is_inferred, open_hint
from .plain_data import data_with, field_hints, is_plain_dataclass


def is_left_open(declarations: Declarations, hint: Any) -> bool:
    """Whether a hint mentions a class whose objects only the model makes, or leaves a type open
    itself."""
    return leaves_open(hint, declarations.floats_open) or any(
        (is_inferred(part) and not declarations.is_data(part)) or is_open_tuple(declarations, part)
        for part in mentioned(hint)
    )


def is_part_open(declarations: Declarations, hint: Any) -> bool:
    """The same of the hint of a field of an object that the model makes."""
    return open_hint(hint) or is_left_open(declarations, hint)


def is_result_open(declarations: Declarations, hint: Any) -> bool:
    """Whether only what the entry function returns says what its result consists of: its hint
    mentions a class that is no data type, because the hints of its fields leave a type open."""
    return any(
        is_open_tuple(declarations, part)
        or (
            is_plain_dataclass(part)
            and not declarations.is_data(part)
            and (not data_with(part) or _has_open_floats(declarations, field_hints(part)))
        )
        for part in mentioned(hint)
    )


def is_open_tuple(declarations: Declarations, hint: Any) -> bool:
    """Whether the values of a NamedTuple say what its parts are, although it has hints."""
    if not declarations.floats_open or not is_named_tuple(hint):
        return False
    return _has_open_floats(declarations, part_hints(hint).values())


def _has_open_floats(declarations: Declarations, hints: Any) -> bool:
    return declarations.floats_open and any(leaves_open(h, True) for h in hints)
