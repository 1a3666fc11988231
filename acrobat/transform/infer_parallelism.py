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

from ..analysis.decisions import may_suspend, suspending_functions
from ..analysis.depth import varies, works
from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import leaves, map_bodies, outs, regions, statements, uses, with_regions
from ..ir.rebuild import rebuilt

_START = -1

Needs = frozenset[int]


def infer_parallelism(module: B.Module) -> B.Module:
    """`module` with `mark` and `resume` where statements are concurrent."""
    suspending = suspending_functions(module)
    return map_bodies(module, lambda body: _region(body, suspending, count()))


def _region(region: B.Region, suspending: frozenset[str], numbers: Iterator[int]) -> B.Region:
    inner = [
        with_regions(s, [_region(r, suspending, numbers) for r in regions(s)]) for s in region.stmts
    ]
    if any(works(s) and varies(s) for s in region.stmts):
        starts, end, still = _starts(region, suspending)
        inner = _marked(inner, starts, end, still, numbers)
    return rebuilt(region, stmts=tuple(inner))


def _starts(
    region: B.Region, suspending: frozenset[str]
) -> tuple[dict[int, Needs], Needs, frozenset[int]]:
    """For the statements of `region`, by position, that do work or leave: the statements behind
    which they may start. Those behind which the region ends. And which of the first take no
    depth."""
    starts: dict[int, Needs] = {}
    still: set[int] = set()
    before: dict[int, Needs] = {_START: frozenset()}  # all that must come before
    of: dict[T.Var, Needs] = {}
    fence: Needs = frozenset({_START})
    for at, stmt in enumerate(region.stmts):
        needs = own = fence.union(*(of.get(v, frozenset()) for v in uses(stmt)))
        fences, ends = _is_fence(stmt, suspending), leaves(stmt)
        if fences or ends:
            needs = frozenset(before)
        if fences or ends or works(stmt):
            starts[at] = _latest(needs, before)
            if (isinstance(stmt, B.Run) and stmt.hoisted) or not (fences or works(stmt)):
                still.add(at)
                needs = own
            else:
                before[at] = needs.union(*(before[n] for n in needs))
                needs = frozenset({at})
            fence = needs if fences else fence
        of |= dict.fromkeys(outs(stmt), needs)
    return starts, _latest(frozenset(before), before), frozenset(still)


def _latest(needs: Needs, before: dict[int, Needs]) -> Needs:
    """Those of `needs` that none of the others needs."""
    return needs.difference(*(before[n] for n in needs))


def _is_fence(stmt: B.Stmt, suspending: frozenset[str]) -> bool:
    """Whether order matters: what is before `stmt` stays there, and what is behind."""
    only = B.Region((stmt,), T.Unreachable())
    return may_suspend(only, suspending) or any(
        isinstance(s, (B.Ghost, B.Align)) or (isinstance(s, B.Let) and s.rhs == T.NextPhase())
        for s in statements(only)
    )


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
