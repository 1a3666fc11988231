"""What `@ab.data` and `@ab.params` may decorate: a class in which every field has a type hint."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .places import caller, field_of, refuse


def check_declaration(
    decorator: str, cls: Any, instead_of_bases: str, may_inherit: Callable[[type], bool]
) -> None:
    """ModelError (AC031) unless `cls` is such a class. `may_inherit`: whether a class may be its
    one base."""
    if not isinstance(cls, type):
        refuse(
            "AC031",
            caller(),
            f"{decorator} decorates a class, not {cls!r}",
            f"`{decorator}` above `class Name:`, with a line `name: <type>` for each field",
        )
    wrong = [b for b in cls.__bases__ if b is not object and not may_inherit(b)]
    if wrong or len(cls.__bases__) > 1:
        names = " and ".join(b.__name__ for b in wrong or cls.__bases__)
        refuse(
            "AC031",
            caller(),
            f"{decorator} class {cls.__name__} inherits from {names}",
            instead_of_bases,
        )
    hinted = inspect.get_annotations(cls)
    for name, value in vars(cls).items():
        if name.startswith("__") or callable(value) or isinstance(value, property):
            continue
        if name not in hinted:
            refuse(
                "AC031",
                field_of(cls, caller(), name),
                f"{decorator} class {cls.__name__}: the field {name!r} has no type hint",
                f"`{name}: <type>`",
            )
