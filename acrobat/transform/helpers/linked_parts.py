"""What the parts of a region that is divided must hand on to each other."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from ...ir import batched as B
from ...ir import typed as T
from ...ir.batched_rename import with_names
from ...ir.batched_walk import atoms, outs, uses

# Statements that a later part repeats, rather than being handed their results.
_CHEAP = (T.Scalar, T.GetField, T.Narrow, B.View, B.WeightReference)
_CHEAP_OF_LISTS = ("get", "len")


@dataclass(slots=True)
class Link:
    """One part. `repeated`: statements of earlier parts that come first, with new variables;
    `names`: these, by the old ones; `needs`: what earlier parts have to give; `gives`: what later
    parts need."""

    repeated: list[B.Stmt] = field(default_factory=list)
    names: dict[T.Var, T.Var] = field(default_factory=dict)
    needs: list[T.Var] = field(default_factory=list)
    gives: list[T.Var] = field(default_factory=list)


def linked(parts: Sequence[Sequence[B.Stmt]], results: Sequence[T.Atom]) -> list[Link]:
    """The links of `parts`, the last of which yields `results`."""
    made_in = {v: k for k, part in enumerate(parts) for s in part for v in outs(s)}
    cheap = _cheap(parts, made_in)
    links = [Link() for _ in parts]
    for k, (part, link) in enumerate(zip(parts, links, strict=True)):
        used = {v for s in part for v in uses(s)}
        if k == len(parts) - 1:
            used.update(v for v in results if isinstance(v, T.Var))
        wanted = {v for v in used if made_in.get(v, k) < k}
        for stmt in reversed(cheap):
            if not wanted.isdisjoint(outs(stmt)):
                link.repeated.append(stmt)
                wanted.update(v for v in atoms(stmt) if isinstance(v, T.Var) and v in made_in)
        link.repeated.reverse()
        link.names = {v: T.Var(v.name, v.type) for s in link.repeated for v in outs(s)}
        link.repeated = [with_names(s, link.names) for s in link.repeated]
        link.needs = [v for v in made_in if v in wanted and v not in link.names]
        for v in link.needs:
            gives = links[made_in[v]].gives
            if v not in gives:
                gives.append(v)
    return links


def _cheap(parts: Sequence[Sequence[B.Stmt]], made: Container[T.Var]) -> list[B.Stmt]:
    """The statements that any part may repeat: their operands are from outside, or made by such."""
    found: list[B.Stmt] = []
    again: set[T.Var] = set()
    for part in parts:
        for s in part:
            if _is_cheap(s) and all(v in again or v not in made for v in uses(s)):
                found.append(s)
                again.update(outs(s))
    return found


def _is_cheap(stmt: B.Stmt) -> bool:
    if not isinstance(stmt, B.Let):
        return False
    if isinstance(stmt.rhs, T.ListOp):
        return stmt.rhs.op in _CHEAP_OF_LISTS
    return isinstance(stmt.rhs, _CHEAP)
