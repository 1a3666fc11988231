"""Statements and regions: control flow around the nodes of the dataflow graph."""

from __future__ import annotations

from dataclasses import dataclass

from ..span import NOWHERE, Span
from ..typed import (
    Atom,
    End,
    Var,
)
from .right_hand_sides import Rhs


@dataclass(frozen=True, slots=True)
class Run:
    """Record one node: `outs` are handles to the block's outputs. `hoisted`: the node does not
    depend on the recursion and runs some depths early, together with those of other depths;
    otherwise it takes the program's current depth and advances it."""

    outs: tuple[Var, ...]
    block: int
    operands: tuple[Atom, ...]
    indices: tuple[Atom, ...]
    hoisted: bool = False
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Ghost:
    """Advance the depth by `count`, as a longer branch of the same conditional does: what follows
    lines up across instances (paper: ghost operators)."""

    count: int


@dataclass(frozen=True, slots=True)
class Align:
    """In a branch or a loop of the entry: what follows in this branch, or iteration, runs once all
    instances have got this far, as if it were a program phase of its own."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Note the depth that has been reached here, for a `Resume` of the same region."""

    number: int


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on at the greatest of the noted depths: what follows needs nothing that came between."""

    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Let:
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
    data: str
    binds: tuple[Var, ...]
    region: Region


@dataclass(frozen=True, slots=True)
class Match:
    outs: tuple[Var, ...]
    subject: Var
    arms: tuple[Arm, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class For:
    """As `typed.For`."""

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
    """As `typed.While`."""

    outs: tuple[Var, ...]
    cond: Region
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Map:
    """As `typed.Map`: all iterations start at the same depth. `in_turn`: they may wait, but only
    for what was recorded before the map, so they need not be concurrent."""

    outs: tuple[Var, ...]
    index: Var
    stop: Atom
    body: Region
    filtered: bool = False
    span: Span = NOWHERE
    in_turn: bool = False


Stmt = Let | Run | Ghost | Align | Mark | Resume | If | Match | For | While | Map


@dataclass(frozen=True, slots=True)
class Region:
    stmts: tuple[Stmt, ...]
    end: End
