"""`@ab.data`: the author's own data types, as frozen dataclasses with slots.

@ab.data
class Leaf:
    word: int

@ab.data
class Node:
    left: "Tree"
    right: "Tree"

Tree = Leaf | Node
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, dataclass_transform

from .declared import check_declaration
from .hints import made_dataclass

_C = TypeVar("_C", bound=type[Any])
MARK = "__acrobat_data__"


@dataclass_transform(frozen_default=True)
def data(cls: _C) -> _C:
    """Declare a data type. Fields: int, float, bool, tensors, data types, unions and lists; and
    those of the data type that it inherits from, if any."""
    check_declaration(
        "@ab.data",
        cls,
        "one base, which is an @ab.data class itself; or the fields of all in this class",
        is_data,
    )
    made = made_dataclass(cls, frozen=True, slots=True)
    setattr(made, MARK, True)
    return made


def runs_post_init(cls: type) -> bool:
    """Whether making an object of a dataclass runs a `__post_init__`: the `__init__` that
    `dataclasses` generates calls one if the decorated class has it."""
    maker = next((c for c in cls.__mro__ if "__init__" in vars(c)), object)
    return dataclasses.is_dataclass(maker) and hasattr(maker, "__post_init__")


def is_data(obj: object) -> bool:
    """Whether `obj` is a class made by `@ab.data`."""
    return isinstance(obj, type) and MARK in vars(obj)
