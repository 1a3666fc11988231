"""What a model has given to the fields of its objects, where no hint says their types."""

from __future__ import annotations

from ..ir.types import Type


class NotMet:
    """As a hint: of the items of lists that have all been empty so far."""


class IntArray:
    """As a hint: of an array of ints that the model makes."""


class MetFields:
    """Of each class whose objects were made: the names of its fields, and the types of what they
    were given, each once."""

    def __init__(self) -> None:
        self.nested: set[type] = set()  # whose `__init__` makes objects of the class
        self._names: dict[type, set[tuple[str, ...]]] = {}
        # By their text, which tells lists and tuples of any length apart, as types do not.
        self._types: dict[tuple[type, str], dict[str, Type]] = {}

    @property
    def classes(self) -> list[type]:
        """The classes, in the order in which objects of them were made."""
        return list(self._names)

    def note(self, cls: type, names: tuple[str, ...], types: tuple[Type, ...]) -> None:
        """Note that an object has fields of these types."""
        self._names.setdefault(cls, set()).add(names)
        for name, t in zip(names, types, strict=True):
            self.note_field(cls, name, t)

    def note_field(self, cls: type, name: str, t: Type) -> None:
        """Note the type of one field."""
        self._types.setdefault((cls, name), {})[repr(t)] = t

    def names(self, cls: type) -> tuple[str, ...] | None:
        """The fields of the objects of a class; None if not all have the same."""
        found = self._names.get(cls, set())
        return next(iter(found)) if len(found) == 1 else None

    def types(self, cls: type, name: str) -> list[Type]:
        """The types of what a field was given."""
        return list(self._types.get((cls, name), {}).values())
