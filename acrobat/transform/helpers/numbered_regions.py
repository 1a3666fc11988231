"""Regions that also yield a number, and loops whose test counts: see `number_dropouts`."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import typed as T
from ...ir.rebuild import rebuilt
from ...ir.types import BOOL


def constants(atoms: Sequence[T.Atom]) -> list[T.Atom]:
    return [a for a in atoms if isinstance(a, T.Const)]


def yielding(region: T.Region, number: T.Atom) -> T.Region:
    """`region`, made to yield the number as well if it falls through."""
    if not isinstance(region.end, T.Yield):
        return region
    return rebuilt(region, end=T.Yield((*region.end.values, number)))


def tested_inside(stmt: T.While) -> T.While:
    """`while test: body` as `while True:` with the test in its body."""
    assert isinstance(stmt.cond.end, T.Yield)
    (test,) = stmt.cond.end.values
    end = stmt.body.end
    going = T.Region(stmt.body.stmts, T.Continue(end.values) if isinstance(end, T.Yield) else end)
    leaving = T.Region((), T.Break(stmt.carried))
    decides = T.If((), test, going, leaving, stmt.span)
    return rebuilt(
        stmt,
        cond=T.Region((), T.Yield((T.Const(True, BOOL),))),
        body=T.Region((*stmt.cond.stmts, decides), T.Unreachable()),
    )
