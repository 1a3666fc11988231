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
suspend, or that aligns instances, stays ordered between what precedes and follows it; one that may
leave the region (`return`, `break`, `continue`) comes after all that precedes it, because what is
behind the region starts at the depth at which it was left. A region all
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
        self.leaves, self.returns = OncePerNode(self._leaves), OncePerNode(self._returns)

    def _is_fence(self, stmt: B.Stmt) -> bool:
        """Whether order matters: what is before `stmt` stays there, and what is behind."""
        if isinstance(stmt, B.Let):
            return stmt.rhs == T.NextPhase() or rhs_may_suspend(stmt.rhs, self.suspending)
        if isinstance(stmt, (B.Ghost, B.Align)):
            return True
        return any(self.is_fence(s) for r in regions(stmt) for s in r.stmts)

    def _leaves(self, stmt: B.Stmt) -> bool:
        """Whether some path through `stmt` leaves the region that it is in: a `return`, or a
        `break` or `continue` of a loop around it."""
        if isinstance(stmt, (B.For, B.While)):
            return self.returns(stmt)
        ways = (T.Return, T.Break, T.Continue)
        return any(isinstance(r.end, ways) or any(map(self.leaves, r.stmts)) for r in regions(stmt))

    def _returns(self, stmt: B.Stmt) -> bool:
        """Whether some path through `stmt` leaves the function."""
        return any(
            isinstance(r.end, T.Return) or any(map(self.returns, r.stmts)) for r in regions(stmt)
        )


def _region(region: B.Region, known: _Known, numbers: Iterator[int]) -> B.Region:
    inner = [
        with_regions(s, [_region(r, known, numbers) for r in regions(s)]) for s in region.stmts
    ]
    if any(known.depths.works(s) and known.depths.varies(s) for s in region.stmts):
        starts, end, still = _starts(region, known)
        inner = _marked(inner, starts, end, still, numbers)
    return rebuilt(region, stmts=tuple(inner))


def _starts(region: B.Region, known: _Known) -> tuple[dict[int, Needs], Needs, frozenset[int]]:
    """For the statements of `region`, by position, that do work or leave: the statements behind
    which they may start. Those behind which the region ends. And which of the first take no
    depth."""
    starts: dict[int, Needs] = {}
    still: set[int] = set()
    order = _Order()
    of: dict[T.Var, int] = {}
    fence = order.all
    for at, stmt in enumerate(region.stmts):
        needs = fence
        for v in known.uses(stmt):
            needs |= of.get(v, 0)
        fences, works = known.is_fence(stmt), known.depths.works(stmt)
        leaves = known.leaves(stmt)
        if fences or works or leaves:
            last = order.all if fences or leaves else needs
            starts[at] = order.latest(last)
            if (isinstance(stmt, B.Run) and stmt.hoisted) or not (fences or works):
                still.add(at)
            else:
                needs = order.add(at, last)
            fence = needs if fences else fence
        of |= dict.fromkeys(outs(stmt), needs)
    return starts, order.latest(order.all), frozenset(still)


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
    stmts: list[B.Stmt],
    starts: dict[int, Needs],
    end: Needs,
    still: frozenset[int],
    numbers: Iterator[int],
) -> list[B.Stmt]:
    """`stmts` with the marks and resumptions that make it so."""
    resumed: dict[int, Needs] = {}
    here = frozenset({_START})
    for at in (*starts, len(stmts)):
        needs = starts.get(at, end)
        if needs != here:
            resumed[at] = needs
        here = needs if at in still else frozenset({at})
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
