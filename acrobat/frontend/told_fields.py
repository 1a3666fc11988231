"""Hints that nobody has written: of the fields of a class, from what the model gives its objects.

    class Shift:                                 @dataclass
        def __init__(self, vec):                 class Shift:
            self.vec = vec               ->          vec: Float32[Tensor, "H"]

A record says its fields' types by its own type, so a list has no records of two classes, and no
record contains another one of its class. Where a model needs that, its classes become data types,
and these need a type for each field. Lowering the model with records shows what they are given, if
not always all of it: an error hides what comes after it. So the model is lowered until nothing new
is met.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .bad_hint import BadHint
from .declarations import Declarations
from .object_numbers import is_number_class
from .plain_classes import NO_FIELD
from .plain_data import check_data, is_plain_dataclass
from .type_hints import NoHint, hint_of

# The fields of a class, with a hint for each.
FieldHints = tuple[tuple[str, Any], ...]


def told_fields(known: Declarations, others: Collection[type]) -> dict[type, FieldHints]:
    """The classes whose fields have types that hold all that the model gave them, as far as it was
    lowered, with these as hints. `others` are classes that are data types by the hints that they
    have."""
    classes = [c for c in known.met.classes if c not in others and _may_be_data(c)]
    while True:
        told: dict[type, FieldHints] = {}
        for cls in classes:
            names = known.met.names(cls)
            try:
                told[cls] = tuple(
                    (name, hint_of(known, known.met.types(cls, name), {*classes, *others}))
                    for name in names or ()
                    if name != NO_FIELD
                )
            except NoHint:
                continue
            if names is None:
                del told[cls]
        if len(told) == len(classes):
            return told
        # What another class mentions that is no data type, keeps that class from being one.
        classes = list(told)


def _may_be_data(cls: type) -> bool:
    if issubclass(cls, tuple) or is_number_class(cls):
        return False
    if is_plain_dataclass(cls):
        try:
            check_data(cls)
        except BadHint:
            return False
    return True
