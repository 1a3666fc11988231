"""Classes whose values stand for objects of a plain class: the number 3 for the fourth `Node` that
a call of the model makes (numbered_objects)."""

from __future__ import annotations

import dataclasses
from typing import Any

_OF = "_acrobat_numbers"  # an attribute of such a class: the class of the objects


# An attribute of nodes that read a number: the field or method that the author wrote.
ASKED = "_acrobat_asked"
NUMBER = "_number_of_"  # what the names of fields that are numbers begin with


def number_class(cls: type) -> type:
    """A class for the numbers of the objects of `cls`. Two are equal if they stand for one object;
    if `cls` compares its objects otherwise, they cannot be compared."""
    made = dataclasses.make_dataclass(
        cls.__name__,
        [(number_field(cls), int)],
        namespace={_OF: cls},
        frozen=True,
        eq=is_compared(cls),
    )
    made.__module__ = cls.__module__
    return made


def is_compared(cls: Any) -> bool:
    """Whether objects of a class are equal if they are one object."""
    return bool(cls.__eq__ is object.__eq__ and cls.__ne__ is object.__ne__)


def number_field(cls: type) -> str:
    """The field of the class for numbers. No other class has one of this name, so that the number
    of an object is never taken for that of an object of another class."""
    return f"{NUMBER}{cls.__name__}"


def is_number_class(found: Any) -> bool:
    """Whether `found` was made by `number_class`."""
    return isinstance(found, type) and _OF in vars(found)
