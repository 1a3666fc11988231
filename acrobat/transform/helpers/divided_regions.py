"""Divide a region at its decisions, so that no decision waits for a node of its own part.

    h, c = run gate(x)                  h, c = run gate(x)
    k = read c                          ------------------
    if k == 0:                          k = read c
        d = run first(h)          ->    if k == 0:
        n = read d                          d = run first(h)
    else:                               else:
        n = 0                               d = unused
                                        ------------------
                                        if k == 0:
                                            n = read d
                                        else:
                                            n = 0

What a part of a branch gives to a later one is a result of the conditional, which its other
branches leave unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...analysis.decisions import rhs_may_suspend
from ...analysis.depth import Depths
from ...analysis.used import batched_uses
from ...ir import batched as B
from ...ir import typed as T
from ...ir.batched_rename import with_names
from ...ir.batched_walk import outs, regions
from ...ir.once_per_node import OncePerNode
from .linked_parts import linked

Part = list[B.Stmt]


@dataclass(slots=True)
class Divided:
    """The parts of a region. `pending`: the variables that depend on nodes of the last one."""

    parts: list[Part]
    pending: set[T.Var]


class Divider:
    """Divides the regions of a module; `suspending` are its functions that may suspend."""

    def __init__(self, suspending: frozenset[str]) -> None:
        self.suspending = suspending
        self.depths, self.uses = Depths(), batched_uses()
        self.suspends = OncePerNode(self._suspends)

    def _suspends(self, stmt: B.Stmt) -> bool:
        if isinstance(stmt, B.Let):
            return rhs_may_suspend(stmt.rhs, self.suspending)
        return any(self.suspends(s) for r in regions(stmt) for s in r.stmts)

    def divided(self, region: B.Region, pending: Iterable[T.Var] = ()) -> Divided | None:
        """The parts of `region`; None if a call or a loop in it may suspend. `pending` is what
        depends on nodes that run with those of its first part."""
        found = Divided([[]], set(pending))
        for stmt in region.stmts:
            if not self.suspends(stmt):
                self._add(found, stmt)
            elif isinstance(stmt, B.Let) and isinstance(stmt.rhs, T.Read):
                if stmt.rhs.tensor in found.pending:
                    found.parts.append([])
                    found.pending.clear()
                found.parts[-1].append(stmt)
            elif not isinstance(stmt, B.If | B.Match) or not self._add_parts(found, stmt):
                return None
        return found

    def _add(self, to: Divided, stmt: B.Stmt) -> None:
        to.parts[-1].append(stmt)
        if self.depths.works(stmt) or not to.pending.isdisjoint(self.uses(stmt)):
            to.pending.update(outs(stmt))

    def _add_parts(self, to: Divided, stmt: B.If | B.Match) -> bool:
        """Add a conditional that waits; False if it cannot be divided."""
        branches: list[Divided] = []
        for region in regions(stmt):
            branch = self.divided(region, to.pending)
            if branch is None or not isinstance(region.end, T.Yield):
                return False
            branches.append(branch)
        count = max(len(b.parts) for b in branches)
        if count == 1:
            self._add(to, stmt)
            return True
        late = set().union(*(b.pending for b in branches if len(b.parts) == count))
        results = zip(stmt.outs, *map(_yielded, regions(stmt)), strict=True)
        to.pending = {out for out, *values in results if not late.isdisjoint(values)}
        first, *others = _pieces(stmt, [self._in_step(b.parts, count) for b in branches])
        # There is nothing to do first if every branch begins with a decision.
        if first.outs or any(r.stmts for r in regions(first)):
            to.parts[-1].append(first)
        to.parts += [[piece] for piece in others]
        return True

    def _in_step(self, parts: list[Part], count: int) -> list[Part]:
        """`count` parts: a branch with fewer of them records its nodes as early as possible; one
        without nodes does what it does in the end, where its results are needed."""
        missing: list[Part] = [[] for _ in range(count - len(parts))]
        works = any(self.depths.works(s) for part in parts for s in part)
        return [*parts, *missing] if works else [*missing, *parts]


def _pieces(stmt: B.If | B.Match, branches: Sequence[list[Part]]) -> list[B.If | B.Match]:
    """`stmt` as several conditionals, each with one part of every branch."""
    links = [linked(b, _yielded(r)) for b, r in zip(branches, regions(stmt), strict=True)]
    # For each branch, how its later parts call what earlier ones give.
    given = [{v: T.Var(v.name, v.type) for link in branch for v in link.gives} for branch in links]
    pieces: list[B.If | B.Match] = []
    for k, here in enumerate(zip(*links, strict=True)):
        gives = [(which, v) for which, link in enumerate(here) for v in link.gives]
        is_last = k == len(branches[0]) - 1
        inner: list[B.Region] = []
        names: list[dict[T.Var, T.Var]] = []
        for which, link in enumerate(here):
            new = link.names | {v: given[which][v] for v in link.needs}
            if k > 0 and isinstance(stmt, B.Match):
                new |= {v: T.Var(v.name, v.type) for v in stmt.arms[which].binds}
            values = [v if of == which else T.Var(v.name, v.type) for of, v in gives]
            unused = [
                B.Let((u,), B.Unused(), stmt.span)
                for u, (of, _) in zip(values, gives, strict=True)
                if of != which
            ]
            end = T.Yield((*values, *(_yielded(regions(stmt)[which]) if is_last else ())))
            body = B.Region((*link.repeated, *branches[which][k], *unused), end)
            inner.append(with_names(body, new))
            names.append(new)
        results = (*(given[of][v] for of, v in gives), *(stmt.outs if is_last else ()))
        pieces.append(_with_parts(stmt, results, inner, names))
    return pieces


def _with_parts(
    stmt: B.If | B.Match,
    results: tuple[T.Var, ...],
    inner: Sequence[B.Region],
    names: Sequence[dict[T.Var, T.Var]],
) -> B.If | B.Match:
    if isinstance(stmt, B.If):
        return replace(stmt, outs=results, then=inner[0], orelse=inner[1])
    arms = [
        replace(arm, binds=tuple(new.get(v, v) for v in arm.binds), region=region)
        for arm, region, new in zip(stmt.arms, inner, names, strict=True)
    ]
    return replace(stmt, outs=results, arms=tuple(arms))


def _yielded(region: B.Region) -> tuple[T.Atom, ...]:
    assert isinstance(region.end, T.Yield)
    return region.end.values
