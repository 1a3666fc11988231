"""Statements, the regions that they stand in, and how a region ends."""

from __future__ import annotations

from dataclasses import dataclass

from ..span import NOWHERE, Span
from .atoms import Atom, Var
from .right_hand_sides import Rhs


@dataclass(frozen=True, slots=True)
class Let:
    """`outs = rhs`. One out, except of Call and Parallel after `flatten_tuples`; before that, a
    Parallel has one out per call."""

    outs: tuple[Var, ...]
    rhs: Rhs
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class If:
    outs: tuple[Var, ...]
    cond: Atom
    then: Region
    orelse: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Arm:
    """`case data(binds...)`: one variable per field of `data`, in order."""

    data: str
    binds: tuple[Var, ...]
    region: Region


@dataclass(frozen=True, slots=True)
class Match:
    """Exhaustive over the type of `subject`."""

    outs: tuple[Var, ...]
    subject: Var
    arms: tuple[Arm, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class For:
    """`for index in range(start, stop, step)`: one iteration after the other. `carried` are the
    variables, `inits` their first values; `body` yields their next ones (or breaks, continues,
    returns). `outs` are their last values. `step` is not 0."""

    outs: tuple[Var, ...]
    index: Var
    start: Atom
    stop: Atom
    step: Atom
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class While:
    """`cond` yields one truth value; it and `body` see `carried`, as in `For`."""

    outs: tuple[Var, ...]
    cond: Region
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Map:
    """A comprehension: `body` runs for index 0 to stop - 1, each iteration independent of the
    others (instance parallelism), and yields one value per out; the outs are lists. With
    `filtered`, the body yields a truth value first: whether the iteration's values are kept."""

    outs: tuple[Var, ...]
    index: Var
    stop: Atom
    body: Region
    filtered: bool = False
    span: Span = NOWHERE


Stmt = Let | If | Match | For | While | Map


@dataclass(frozen=True, slots=True)
class Yield:
    values: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """Leaves the innermost For or While."""

    values: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Continue:
    """Begins the next iteration of the innermost For or While."""

    values: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Return:
    values: tuple[Atom, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Ends a region whose last statement leaves it on every path (return, break, continue)."""


@dataclass(frozen=True, slots=True)
class Raise:
    """The instance is at fault: the message is the `texts` with the `values` between them, which
    are numbers and truth values, written as Python's `str` writes them."""

    texts: tuple[str, ...]
    values: tuple[Atom, ...]


End = Yield | Return | Break | Continue | Unreachable | Raise


@dataclass(frozen=True, slots=True)
class Region:
    stmts: tuple[Stmt, ...]
    end: End
