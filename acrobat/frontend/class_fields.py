"""The fields of the author's classes, and the types that a field cannot have."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..ir.type_queries import run_time_value
from ..ir.types import BOOL, FLOAT, INT, ListType, ParamsRef, TensorType, Type
from ..lang.data import is_data
from ..lang.hints import UnreadableHint, module_names, resolve_class_hints
from ..lang.params import is_params
from .bad_hint import FIELDS, BadHint, hint_text

Numbered = Callable[[Type | None, Callable[[str], Any]], Type | None]


# What a compiled program does with named tuples as with any tuple.
_OF_TUPLES = ("__iter__", "__len__", "__getitem__", "__eq__", "__ne__", "__bool__", "__reversed__")


def check_is_tuple(cls: type) -> None:
    """BadHint for a named tuple that is no tuple any more: it defines `__iter__` or the like."""
    for name in _OF_TUPLES:
        if getattr(cls, name, None) is not getattr(tuple, name, None):
            raise BadHint(
                f"{cls.__name__}, a named tuple, defines {name} in another way than tuples",
                "a dataclass, or a method with another name",
            )


def read_fields(
    cls: type, type_of: Callable[[Any], Type], numbered: Numbered
) -> tuple[tuple[str, Type], ...]:
    """The fields of a class and their types; BadHint for a type that a field cannot have. `type_of`
    reads a hint, and `numbered` is `Declarations.numbered`."""
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint as error:
        raise BadHint(str(error), f"a field is one of {FIELDS}") from error
    for field in dataclasses.fields(cls):
        if (is_params(cls) and not field.init) or (
            is_data(cls) and (field.kw_only or not field.init)
        ):
            raise BadHint(
                f"{cls.__name__}.{field.name}: a field that "
                + ("is given by name only" if field.init else "the class sets by itself"),
                "a field with a default, or without",
            )
    declared = is_data(cls) or is_params(cls)
    own = {f.name for f in dataclasses.fields(cls)}
    fields: list[tuple[str, Type]] = []
    for name, hint in hints.items():
        if not declared and name not in own:
            continue  # a constant of a plain class
        try:
            t = type_of(hint)
        except BadHint as error:
            raise BadHint(f"{cls.__name__}.{name}: {error}", error.hint) from error
        if is_params(cls) and t in (INT, FLOAT, BOOL):
            continue  # a constant, of weights that the model is not compiled with
        if is_params(cls) and not isinstance(t, (TensorType, ParamsRef)):
            listed = isinstance(t, ListType)
            raise BadHint(
                f"{cls.__name__}.{name}: weights cannot be "
                + ("in a list" if listed else f"a {hint_text(hint)}"),
                "a field for each, or one tensor with an axis more"
                if listed
                else "`Float32[Tensor, ...]`, or another @ab.params class",
            )
        if isinstance(t, ListType) and not run_time_value(t):
            raise BadHint(
                f"{cls.__name__}.{name}: a list of weights ({t.item})",
                "a params class of its own",
            )
        if not is_params(cls) and not run_time_value(t):
            owner = "an @ab.data class" if declared else "data"
            raise BadHint(
                f"{cls.__name__}.{name}: a field of {owner} cannot be a {hint_text(hint)}",
                f"a field is one of {FIELDS}",
            )
        if not is_params(cls):
            t = numbered(t, module_names(cls).get) or t
        fields.append((name, t))
    return tuple(fields)


def is_named_tuple(hint: object) -> bool:
    """Whether `hint` is a class made by `NamedTuple`."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def part_hints(cls: Any) -> dict[str, Any]:
    """The hints of a named tuple's parts; BadHint if one has none."""
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint as error:
        raise BadHint(str(error), f"a part is one of {FIELDS}") from error
    if len(hints) < len(cls._fields):
        raise BadHint(
            f"{cls.__name__} is a collections.namedtuple, whose parts have no types",
            f"`class {cls.__name__}(typing.NamedTuple):` with a hint for each part",
        )
    return hints
