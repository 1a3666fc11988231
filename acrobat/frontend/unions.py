"""Unions: of data types, and of strings, numbers, tuples, lists and dicts, which Python tells apart
by their classes. Types that refer to themselves.

A value of the second kind is data with one field, which is the value: `raw_values` unwraps it where
it is known which of the members it is, and wraps it where a union is expected.
"""

from __future__ import annotations

import typing
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
)
from functools import partial
from typing import Any, Protocol

from ..ir.type_queries import optional_of, run_time_value
from ..ir.typed import RAW_VALUE, DataDef
from ..ir.types import FLOAT, INT, DataRef, Type
from ..lang.hints import Keyed, Recursive, is_union
from .bad_hint import BadHint, hint_text
from .class_families import members_of
from .class_fields import is_named_tuple
from .literal_hint import literal_type
from .pattern_tree import of_members

_SCALARS = (int, float, bool, str)
_COLLECTIONS: dict[Any, type] = {
    **{kind: kind for kind in (tuple, list, dict, set, frozenset)},
    **dict.fromkeys((Sequence, MutableSequence, Collection, Iterable), list),
    **dict.fromkeys((Mapping, MutableMapping), dict),
}


class Declarations(Protocol):
    """What is known of the hints of one model (declarations.py)."""

    datas: dict[str, DataDef]

    @property
    def of_program(self) -> bool:
        """Whether a hint is of values that only the program makes."""

    def type_of(self, hint: Any) -> Type:
        """The type that a hint stands for."""

    def adopt(self, hint: Any) -> bool:
        """Whether a hint is a data type, or a plain dataclass that becomes one."""

    def none(self) -> DataRef:
        """The type of None."""

    def reserve(self, cls: type) -> tuple[str, bool]:
        """The name of a data type, and whether it is new."""

    def new_data(self, cls: type, *, raw: str = "") -> str:
        """The name of a new data type without fields."""

    def read_data(self, name: str) -> None:
        """Find the fields of a data type."""


class Unions:
    """Those that hints of one model mention; their members are data types of `declarations`."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._raw: dict[Any, str] = {}  # the names of members that are no data types, by hint
        self._recursive: dict[Recursive, Type] = {}

    def recursive(self, hint: Recursive) -> Type:
        """The type that an alias stands for which mentions itself."""
        if hint not in self._recursive:
            of = typing.get_args(hint.of) if is_union(hint.of) else (hint.of,)
            self._of_members(_members(of), hint)
        return self._recursive[hint]

    def of_numbers(self, a: Type, b: Type) -> Type | None:
        """The type of an int on one path and a float on another; None of other types."""
        return self._of_members((int, float)) if {a, b} == {INT, FLOAT} else None

    def union(self, hints: tuple[Any, ...]) -> Type:
        """The type of a value that is of one of the types `hints`."""
        members = _members(hints)
        others = [m for m in members if m is not type(None)]
        if len(others) == 1 < len(members) and self._is_optional(others[0]):
            return self._optional(others[0])
        return self._of_members(members)

    def _is_optional(self, hint: Any) -> bool:
        """Whether None or `hint` is no union here: neither data nor a type that mentions itself."""
        return not isinstance(hint, Recursive) and not self._declarations.adopt(hint)

    def _optional(self, hint: Any) -> Type:
        """`Optional[...]` of something that is not data."""
        of_program = self._declarations.of_program
        found = optional_of(self._declarations.type_of(hint), of_program)
        if found is None:
            raise BadHint(
                f"Optional of {hint_text(hint)}",
                "an @ab.data class with this one field, and None for the missing case",
            )
        return found

    def _of_members(self, members: tuple[Any, ...], alias: Recursive | None = None) -> Type:
        """The union. It is known before the fields of its members are: these may mention it."""
        self._check(members)
        names: list[str] = []
        unread: list[Callable[[], None]] = []
        for m in members:
            if m is type(None):
                names.append(self._declarations.none().name)
            elif self._declarations.adopt(m):
                name, new = self._declarations.reserve(m)
                unread += [partial(self._declarations.read_data, name)] if new else []
                names.append(name)
            else:
                of = m.of if isinstance(m, Recursive) else m
                if of not in self._raw:
                    self._raw[of] = self._new(of)
                    unread.append(partial(self._read, of))
                names.append(self._raw[of])
        found = of_members(tuple(dict.fromkeys(names)))
        if alias is not None:
            self._recursive[alias] = found
        for read in unread:
            read()
        return found

    def _new(self, hint: Any) -> str:
        kind, length = kind_of(hint), _length(hint)
        assert kind is not None
        name = kind.__name__ if length is None else f"{kind.__name__} of {length}"
        return self._declarations.new_data(kind, raw=name)

    def _read(self, hint: Any) -> None:
        """Find the type of a member that is no data type."""
        name, t = self._raw[hint], self._declarations.type_of(hint)
        if not run_time_value(t):
            raise BadHint(f"a union with {hint_text(hint)}", "weights are known, and in no union")
        datas = self._declarations.datas
        datas[name] = DataDef(name, datas[name].tag, ((RAW_VALUE, t),), datas[name].cls, raw=True)

    def _check(self, members: tuple[Any, ...]) -> None:
        """BadHint for members that cannot be told apart by their classes."""
        kinds: dict[tuple[type, int | None], Any] = {}
        for m in members:
            if m is type(None) or self._declarations.adopt(m):
                continue
            kind = kind_of(m)
            if kind is None:
                raise BadHint(
                    f"a union is of @ab.data classes, strings, numbers, tuples and lists, and "
                    f"{hint_text(m)} is none",
                    f"decorate it: `@ab.data class {hint_text(m)}`"
                    if isinstance(m, type)
                    else "an @ab.data class with this one field",
                )
            length = _length(m)
            for other in (
                (length, None) if length is not None else {n for k, n in kinds if k is kind}
            ):
                if (kind, other) in kinds:
                    raise BadHint(
                        f"a union of {hint_text(kinds[kind, other])} and {hint_text(m)}, which "
                        f"nothing tells apart",
                        "an @ab.data class for each",
                    )
            kinds[kind, length] = m


def kind_of(hint: Any) -> type | None:
    """The class of the Python objects that a hint stands for which is no data type; None for types
    that are no members of unions."""
    if isinstance(hint, Recursive):
        return kind_of(hint.of)
    if isinstance(hint, Keyed):
        return dict
    if hint in _SCALARS or is_named_tuple(hint):
        return hint  # type: ignore[no-any-return]
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return literal_type(typing.get_args(hint))
    return _COLLECTIONS.get(origin)


def _length(hint: Any) -> int | None:
    """The length of a tuple, by which it differs from others; None if that is not known."""
    of = hint.of if isinstance(hint, Recursive) else hint
    parts = typing.get_args(of)
    return len(parts) if typing.get_origin(of) is tuple and Ellipsis not in parts else None


def _members(hints: tuple[Any, ...]) -> tuple[Any, ...]:
    """The members, those of inner unions among them, each once."""
    found: dict[Any, None] = {}
    work, expanded = [*reversed(hints)], set[Recursive]()
    while work:
        hint = work.pop()
        inner = hint.of if isinstance(hint, Recursive) else hint
        if not is_union(inner):
            found[hint] = None
        elif hint not in expanded:  # a union may be its own member, which adds nothing to it
            expanded |= {hint} if isinstance(hint, Recursive) else set()
            work += reversed(typing.get_args(inner))
    return members_of(tuple(found))
