"""Variables and constants: what statements compute with."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ..dims import Dim
from ..types import Type

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Var:
    """A variable: its author's name (for printing), its type, its number (its identity)."""

    name: str = field(compare=False)
    type: Type = field(compare=False)
    number: int = field(default_factory=lambda: next(_numbers))

    def __str__(self) -> str:
        return f"{self.name}.{self.number}"


class Text(str):
    """A string that a model mentions: `number` is its place in `Module.texts`."""

    number: int


@dataclass(frozen=True, slots=True)
class Const:
    """A number or truth value written in the source; if its type is str, a `Text`."""

    value: int | float | bool
    type: Type

    def __str__(self) -> str:
        return repr(self.value)


Atom = Var | Const
AttrValue = int | float | str | Dim | tuple[int | Dim, ...]
