"""What the names of a function stand for while it is lowered."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.span import Span


@dataclass(frozen=True, slots=True)
class Undefined:
    """Assigned on some paths only, by the statement at `span`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Conflict:
    """Assigned with types that do not join."""

    span: Span
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Size:
    """A size that is known when the model is compiled: `n = x.shape[0]`."""

    dim: Dim


@dataclass(frozen=True, slots=True)
class Poison:
    """Its definition was wrong; that has been reported, uses are not."""


POISON = Poison()
Binding = T.Atom | Size | Undefined | Conflict | Poison


@dataclass(slots=True)
class Env:
    """Bindings of local names; `narrowed` knows the fields of data matched by an enclosing case;
    `owned` are the names of lists that were made here and that nothing else refers to, so that an
    append can be seen by that name alone."""

    names: dict[str, Binding] = field(default_factory=dict)
    narrowed: dict[T.Var, dict[str, T.Var]] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)

    def copy(self) -> Env:
        return Env(dict(self.names), dict(self.narrowed), set(self.owned))


class Recover(Exception):
    """An error has been reported; go on behind the statement at hand."""
