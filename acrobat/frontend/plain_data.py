"""Plain dataclasses as data types: an instance may consist of their objects, which a model reads,
and makes, like those of `@ab.data` classes.

`@ab.data` sees a class before anybody makes an object of it, and refuses what data cannot have. Of
a plain dataclass that is known only here, where it has a field that is no attribute which each
object stores by itself.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from ..lang.data import runs_post_init
from ..lang.hints import UnreadableHint, resolve_class_hints
from .bad_hint import BadHint
from .class_families import members_of
from .open_hints import leaves_open, mentioned
from .plain_classes import is_inferred, is_plain_class


def is_plain_dataclass(found: object) -> bool:
    """Whether `found` is a dataclass of the author's own without `@ab.data`."""
    return is_plain_class(found) and "__dataclass_params__" in vars(found)


def check_data(cls: Any) -> None:
    """BadHint if a plain dataclass cannot be a data type, whatever the types of its fields."""
    if len(cls.__bases__) > 1:
        names = " and ".join(b.__name__ for b in cls.__bases__)
        raise BadHint(
            f"{cls.__name__} inherits from {names}", "one base, or the fields of all in this class"
        )
    own = {f.name for f in dataclasses.fields(cls)}
    for name in cls.__dataclass_fields__.keys() - own:
        if _is_init_variable(cls.__dataclass_fields__[name]):
            raise BadHint(
                f"{cls.__name__}.{name} is an InitVar", "a function that makes the object from it"
            )
    for name in own:
        default = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
        if hasattr(type(default), "__get__") and not isinstance(
            default, types.MemberDescriptorType
        ):
            raise BadHint(
                f"{cls.__name__}.{name}: a field whose default is a {type(default).__name__}",
                "a default that is a number, a string, None, data, or a list of these",
            )


def data_with(cls: Any) -> set[type]:
    """The plain dataclasses that are data types if `cls` is one: itself, and those that the hints
    of its fields mention. None of them if one cannot be, or leaves the type of a field open."""
    work, found = [cls], set[Any]()
    while work:
        one = work.pop()
        if one in found:
            continue
        if not is_plain_dataclass(one):
            return set()
        found.add(one)
        try:
            check_data(one)
            hints = resolve_class_hints(one)
        except (BadHint, UnreadableHint):
            return set()
        for field in dataclasses.fields(one):
            parts = list(mentioned(hints[field.name]))
            if any(map(leaves_open, parts)):
                return set()
            work += members_of(tuple(filter(is_inferred, parts)))
    return found


def field_hints(cls: Any) -> list[Any]:
    """The hints of the fields of a dataclass whose hints can be read."""
    hints = resolve_class_hints(cls)
    return [hints[f.name] for f in dataclasses.fields(cls)]


def sets_itself(cls: type) -> str | None:
    """What of an object of a dataclass its arguments do not say, as a message says it; None if they
    say everything. Only the author's own code makes such objects."""
    name = cls.__name__
    if runs_post_init(cls):
        return f"{name} has a __post_init__"
    if not dataclasses.is_dataclass(cls):
        return None
    unset = [f.name for f in dataclasses.fields(cls) if not f.init]
    return f"{name}.{unset[0]} is a field that the class sets by itself" if unset else None


def _is_init_variable(field: Any) -> bool:
    return field._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
