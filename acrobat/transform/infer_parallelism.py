"""Infer concurrency that the author did not write down.

Values never change, so two statements are concurrent unless one needs the other's results. If
depths are counted in program order, the second one nevertheless runs at greater depths, and its
nodes do not batch with those of other branches and instances:

    a = f(left)         mark 0
    b = g(right)        a = f(left)
    c = run(a, b)   ->  mark 1
                        resume after 0
                        b = g(right)
                        mark 2
                        resume after 1, 2
                        c = run(a, b)

A statement starts at the depth at which the last of the statements that it needs ended. A statement
that may suspend, or that aligns instances, keeps its place between what precedes and what follows
it; one that may leave the region (`return`, `break`, `continue`) comes after all that precedes it,
because the code after the region starts at the depth at which the region was left. A region whose
statements all take a known number of depths is left alone: there is nothing to gain, and ghost
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
    """Facts about statements, each computed once."""

    def __init__(self, suspending: frozenset[str]) -> None:
        self.suspending = suspending
        self.depths, self.uses = Depths(), batched_uses()
        self.is_fence = OncePerNode(self._is_fence)
        self.leaves, self.returns = OncePerNode(self._leaves), OncePerNode(self._returns)

    def _is_fence(self, stmt: B.Stmt) -> bool:
        """Whether the statements before `stmt` must stay before it, and those after it after it."""
        if isinstance(stmt, B.Let):
            return stmt.rhs == T.NextPhase() or rhs_may_suspend(stmt.rhs, self.suspending)
        if isinstance(stmt, (B.Ghost, B.Align)):
            return True
        return any(self.is_fence(s) for r in regions(stmt) for s in r.stmts)

    def _leaves(self, stmt: B.Stmt) -> bool:
        """Whether some path through `stmt` leaves the enclosing region: a `return`, or a `break`
        or `continue` of an enclosing loop."""
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
    """The statements after which each statement of `region` that works, leaves or is a fence may
    start, by position; those after which the region ends; and which of the former take no
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
    """The order in which statements must run. Sets of statements are integers with a bit for each
    member: there are as many sets as statements, and most have about as many members."""

    def __init__(self) -> None:
        self.at = [_START]  # the position for each bit
        self.all = 1
        self.before = [0]
        self.covered = 0  # those that come before some other

    def add(self, at: int, needs: int) -> int:
        """Add the statement at position `at`, after all of `needs`; return the set of it alone."""
        before = needs | self._before(needs)
        alone = 1 << len(self.at)
        self.at.append(at)
        self.before.append(before)
        self.all |= alone
        self.covered |= before
        return alone

    def latest(self, needs: int) -> Needs:
        """The members of `needs` that no other member needs."""
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
    """`stmts` with the marks and resumes that implement `starts` and `end`."""
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
