"""What a production gets: a source of choices, names, the lines so far, and what is in scope."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

_T = TypeVar("_T")


@dataclass(slots=True)
class Draw:
    """The program that is being written. Every choice comes from `choose`; `hidden` is H. `given`:
    instances have a matrix with any number of rows, and a dict with known keys."""

    choose: random.Random
    hidden: int
    names: Iterator[str]
    given: bool = False
    lines: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    collecting: list[str] = field(default_factory=list)  # statements (natural.py)

    def chance(self, probability: float) -> bool:
        return self.choose.random() < probability

    def one(self, items: Sequence[_T]) -> _T:
        return self.choose.choice(items)

    def put(self, pad: str, line: str) -> None:
        self.lines.append(pad + line)


@dataclass(frozen=True, slots=True)
class Function:
    """A model function that is written: `p`, then parameters of these kinds; a result of one kind,
    or a tuple of several."""

    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    takes_weights: bool = True

    def call(self, arguments: Sequence[str]) -> str:
        """A call, as text."""
        return f"{self.name}({', '.join([*['p'] * self.takes_weights, *arguments])})"


# Kinds of values, with the hint of each.
HINTS = {
    "vector": 'Tensor["H"]',
    "int": "int",  # small: carried on modulo a small number
    "big": "int",  # any int64
    "float": "float",
    "bool": "bool",
    "ints": "list[int]",
    "vectors": 'list[Tensor["H"]]',
    "tree": "Tree",
    "trees": "list[Tree]",
    "table": "list[list[Tree]]",
    "chain": 'Optional["Chain"]',
    "item": "Item",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The names in scope by kind; those of `own` may be assigned to. `leave` writes an early
    return, where there can be one; `loop` says whether `break` and `continue` can stand here."""

    names: dict[str, tuple[str, ...]]
    own: frozenset[str] = frozenset()
    leave: Callable[[str, Scope], None] | None = None
    loop: bool = False

    def of(self, kind: str) -> tuple[str, ...]:
        return self.names.get(kind, ())

    def assignable(self, kind: str) -> tuple[str, ...]:
        return tuple(n for n in self.of(kind) if n in self.own)

    def plus(self, kind: str, *names: str, own: bool = False) -> Scope:
        """With more names in it."""
        known = {**self.names, kind: (*self.of(kind), *names)}
        return replace(self, names=known, own=self.own | set(names) if own else self.own)

    def without(self, kind: str, name: str) -> Scope:
        """Without a name."""
        kept = tuple(n for n in self.of(kind) if n != name)
        return replace(self, names={**self.names, kind: kept})


# A production writes an expression of its kind, whose parts have `depth` levels at most.
Production = Callable[[Draw, Scope, int], str]
