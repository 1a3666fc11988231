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
import inspect
from typing import Any, TypeVar, dataclass_transform

from .hints import remember_scope

_C = TypeVar("_C", bound=type[Any])
MARK = "__acrobat_data__"


@dataclass_transform(frozen_default=True)
def data(cls: _C) -> _C:
    """Declare a data type. Fields: int, float, bool, tensors, data types, unions and lists."""
    if not isinstance(cls, type):
        raise TypeError(f"@ab.data decorates a class, not {cls!r}")
    if len(cls.__mro__) > 2:
        raise TypeError(
            f"@ab.data class {cls.__name__} inherits from {cls.__mro__[1].__name__}: data types do "
            f"not inherit; join them in a union"
        )
    hinted = inspect.get_annotations(cls)
    for name, value in vars(cls).items():
        if not name.startswith("__") and not callable(value) and name not in hinted:
            raise TypeError(
                f"@ab.data class {cls.__name__}: the field {name!r} has no type hint; "
                f"write `{name}: <type>`"
            )
    made = dataclasses.dataclass(frozen=True, slots=True)(cls)
    setattr(made, MARK, True)
    remember_scope(made)
    return made  # type: ignore[return-value]


def is_data(obj: object) -> bool:
    """Whether `obj` is a class made by `@ab.data`."""
    return isinstance(obj, type) and MARK in vars(obj)
