"""Patterns of `match`, resolved against the type of what they are matched with.

    pattern ::= anything                        `_`, `x`
              | member data(field: pattern, ..)  a member of a union, with all its fields
              | value constant                   `3`, `Color.RED`, `True`
              | parts(pattern, ...)              of a tuple
              | items [pattern, .., *rest, pattern, ..]  of a list
              | one of pattern | pattern ...

Each binds `names` to the value that it matches, as `Leaf() as leaf` does.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.types import DataRef, TupleType, Type, UnionType


@dataclass(frozen=True, slots=True)
class Anything:
    """Matches every value."""

    node: ast.pattern
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """Matches values of the data type `data` whose fields match; one pattern per field."""

    node: ast.pattern
    data: str
    fields: tuple[tuple[str, Pattern], ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """Matches what is equal to a constant of its type."""

    node: ast.pattern
    constant: T.Const
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """Matches tuples whose parts match. `rest`, if any, is the name of a list of some of the parts,
    and where these begin and end."""

    node: ast.pattern
    items: tuple[Pattern, ...]
    rest: tuple[str, int, int] | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """Matches lists whose items match `front` at the start and `back` at the end; between these
    there is nothing, or with `rest` a list of any length, which gets that name (none if empty)."""

    node: ast.pattern
    front: tuple[Pattern, ...]
    rest: str | None = None
    back: tuple[Pattern, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def least(self) -> int:
        """The number of items that it looks at; with `rest` there may be more."""
        return len(self.front) + len(self.back)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Matches what one of the alternatives matches; all bind the same names."""

    node: ast.pattern
    alternatives: tuple[Pattern, ...]
    names: tuple[str, ...] = ()


Pattern = Anything | Member | Value | Parts | Items | OneOf


def members(t: Type) -> tuple[str, ...]:
    """The data types that a value of type `t` may be of; none if it is not data."""
    if isinstance(t, UnionType):
        return t.members
    return (t.name,) if isinstance(t, DataRef) else ()


def of_members(names: tuple[str, ...]) -> DataRef | UnionType:
    """The type of a value that is of one of these data types."""
    return DataRef(names[0]) if len(names) == 1 else UnionType(names)


def binds(pattern: Pattern) -> bool:
    """Whether the pattern binds a name."""
    return bool(_rest(pattern)) or bool(pattern.names) or any(map(binds, below(pattern)))


def bound(pattern: Pattern) -> tuple[str, ...]:
    """The names that the pattern binds."""
    inner = below(pattern)[:1] if isinstance(pattern, OneOf) else below(pattern)
    return (*pattern.names, *_rest(pattern), *(n for p in inner for n in bound(p)))


def _rest(pattern: Pattern) -> tuple[str, ...]:
    if isinstance(pattern, Parts) and pattern.rest is not None:
        return pattern.rest[:1]
    return (pattern.rest,) if isinstance(pattern, Items) and pattern.rest else ()


def below(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns directly inside."""
    match pattern:
        case Member():
            return tuple(p for _, p in pattern.fields)
        case Parts():
            return pattern.items
        case Items(front=front, back=back):
            return (*front, *back)
        case OneOf():
            return pattern.alternatives
    return ()


def always(pattern: Pattern, t: Type) -> bool:
    """Whether the pattern by itself matches every value of type `t`: that alternatives of a `|`
    cover a type together is found in `coverage`."""
    match pattern:
        case Anything():
            return True
        case Member(data=data, fields=fields):
            # The types of the fields do not matter: only wildcards are accepted for them.
            return members(t) == (data,) and all(isinstance(p, Anything) for _, p in fields)
        case Parts(items=items):
            assert isinstance(t, TupleType)
            return all(always(p, i) for p, i in zip(items, t.items, strict=True))
        case Items(rest=rest):
            return rest is not None and pattern.least == 0
        case OneOf(alternatives=alternatives):
            return any(always(p, t) for p in alternatives)
    return False


def whole(pattern: Pattern) -> tuple[str, ...]:
    """The members of a union all of whose values the pattern matches."""
    if isinstance(pattern, Member) and all(_always(p) for _, p in pattern.fields):
        return (pattern.data,)
    if isinstance(pattern, OneOf):
        return tuple(m for p in pattern.alternatives for m in whole(p))
    return ()


def _always(pattern: Pattern) -> bool:
    """Whether the pattern matches whatever has its type."""
    match pattern:
        case Anything():
            return True
        case Parts(items=items):
            return all(map(_always, items))
        case Items(rest=rest):
            return rest is not None and pattern.least == 0
    return False


def flat(pattern: Pattern) -> bool:
    """Whether the pattern only tests which member of a union a value is."""
    if isinstance(pattern, Member):
        return all(isinstance(p, Anything) for _, p in pattern.fields)
    return isinstance(pattern, Anything)
