"""Concurrency that the author did not write down.

Values never change, so two statements are concurrent unless one needs the other's results. Counted
in program order, the second one would nevertheless run at greater depths, and its nodes would not
batch with those of other branches and instances:

    a = f(left)         mark 0
    b = g(right)        a = f(left)
    c = run(a, b)   ->  mark 1
                        resume after 0
                        b = g(right)
                        mark 2
                        resume after 1, 2
                        c = run(a, b)

A statement starts at the depth at which the latest of what it needs has ended. A statement that may
suspend, or that aligns instances, stays ordered between what precedes and follows it. A region all
of whose statements take a known number of depths is left alone: nothing would be gained, and ghost
operators rely on program order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from ..analysis.decisions import rhs_may_suspend, suspending_functions
from ..analysis.depth import Depths
from ..analysis.used import batched_uses
from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import map_bodies, outs, regions, with_regions
from ..ir.once_per_node import OncePerNode
from ..ir.rebuild import rebuilt

_START = -1

Needs = frozenset[int]


def infer_parallelism(module: B.Module) -> B.Module:
    """`module` with `mark` and `resume` where statements are concurrent."""
    known = _Known(suspending_functions(module))
    return map_bodies(module, lambda body: _region(body, known, count()))


class _Known:
    """What is known of statements."""

    def __init__(self, suspending: frozenset[str]) -> None:
        self.suspending = suspending
        self.depths, self.uses = Depths(), batched_uses()
        self.is_fence = OncePerNode(self._is_fence)

    def _is_fence(self, stmt: B.Stmt) -> bool:
        """Whether order matters: what is before `stmt` stays there, and what is behind."""
        if isinstance(stmt, B.Let):
            return stmt.rhs == T.NextPhase() or rhs_may_suspend(stmt.rhs, self.suspending)
        if isinstance(stmt, (B.Ghost, B.Align)):
            return True
        return any(self.is_fence(s) for r in regions(stmt) for s in r.stmts)


def _region(region: B.Region, known: _Known, numbers: Iterator[int]) -> B.Region:
    inner = [
        with_regions(s, [_region(r, known, numbers) for r in regions(s)]) for s in region.stmts
    ]
    if any(known.depths.works(s) and known.depths.varies(s) for s in region.stmts):
        starts, end = _starts(region, known)
        inner = _marked(inner, starts, end, numbers)
    return rebuilt(region, stmts=tuple(inner))


def _starts(region: B.Region, known: _Known) -> tuple[dict[int, Needs], Needs]:
    """For the statements of `region`, by position, that do work: the statements behind which they
    may start. And those behind which the region ends."""
    starts: dict[int, Needs] = {}
    order = _Order()
    of: dict[T.Var, int] = {}
    fence = order.all
    for at, stmt in enumerate(region.stmts):
        needs = fence
        for v in known.uses(stmt):
            needs |= of.get(v, 0)
        if fences := known.is_fence(stmt):
            needs = order.all
        if fences or known.depths.works(stmt):
            starts[at] = order.latest(needs)
            if not (isinstance(stmt, B.Run) and stmt.hoisted):  # which takes no depth
                needs = order.add(at, needs)
            fence = needs if fences else fence
        of |= dict.fromkeys(outs(stmt), needs)
    return starts, order.latest(order.all)


class _Order:
    """What must come before what. Sets of statements are integers with a bit for each: there are
    as many sets as statements, and as many members in most of them."""

    def __init__(self) -> None:
        self.at = [_START]  # by bit
        self.all = 1
        self.before = [0]
        self.covered = 0  # that come before any

    def add(self, at: int, needs: int) -> int:
        """The statement at position `at` comes after all of `needs`. The set of it alone."""
        before = needs | self._before(needs)
        alone = 1 << len(self.at)
        self.at.append(at)
        self.before.append(before)
        self.all |= alone
        self.covered |= before
        return alone

    def latest(self, needs: int) -> Needs:
        """Those of `needs` that none of the others needs."""
        left = needs & ~self._before(needs)
        return frozenset(self.at[n] for n in _bits(left))

    def _before(self, needs: int) -> int:
        if needs == self.all:
            return self.covered
        before = 0
        for n in _bits(needs):
            before |= self.before[n]
        return before


def _bits(members: int) -> Iterator[int]:
    while members:
        low = members & -members
        yield low.bit_length() - 1
        members ^= low


def _marked(
    stmts: list[B.Stmt], starts: dict[int, Needs], end: Needs, numbers: Iterator[int]
) -> list[B.Stmt]:
    """`stmts` with the marks and resumptions that make it so."""
    resumed: dict[int, Needs] = {}
    here = frozenset({_START})
    for at in (*starts, len(stmts)):
        needs = starts.get(at, end)
        if needs != here:
            resumed[at] = needs
        stmt = stmts[at] if at < len(stmts) else None
        here = needs if isinstance(stmt, B.Run) and stmt.hoisted else frozenset({at})
    named = {n: next(numbers) for n in sorted(frozenset().union(*resumed.values()))}
    found: list[B.Stmt] = [B.Mark(named[_START])] if _START in named else []
    for at, stmt in enumerate((*stmts, None)):
        if at in resumed:
            found.append(B.Resume(tuple(named[n] for n in sorted(resumed[at]))))
        if stmt is not None:
            found.append(stmt)
        if at in named:
            found.append(B.Mark(named[at]))
    return found
