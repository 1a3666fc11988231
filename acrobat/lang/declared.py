"""What `@ab.data` and `@ab.params` may decorate: a class of its own, of which every field has a
hint."""

from __future__ import annotations

import inspect
from typing import Any

from .places import caller, field_of, refuse


def check_declaration(decorator: str, cls: Any, instead_of_bases: str) -> None:
    """ModelError (AC031) if `decorator` does not decorate such a class."""
    if not isinstance(cls, type):
        refuse(
            "AC031",
            caller(),
            f"{decorator} decorates a class, not {cls!r}",
            f"`{decorator}` above `class Name:`, with a line `name: <type>` for each field",
        )
    if len(cls.__mro__) > 2:
        refuse(
            "AC031",
            caller(),
            f"{decorator} class {cls.__name__} inherits from {cls.__mro__[1].__name__}",
            instead_of_bases,
        )
    hinted = inspect.get_annotations(cls)
    for name, value in vars(cls).items():
        if not name.startswith("__") and not callable(value) and name not in hinted:
            refuse(
                "AC031",
                field_of(cls, caller(), name),
                f"{decorator} class {cls.__name__}: the field {name!r} has no type hint",
                f"`{name}: <type>`",
            )
