"""Ghost operators: the branches of a conditional get the same depth (paper: ghost operators).

Instances that take different branches come out of them at different depths, and what follows no
longer lines up across them. Where the numbers of nodes of all branches are known and little
different, the shorter ones advance the depth as if they had the missing nodes.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import batched as B
from ..ir import typed as T

# Beyond this many missing nodes the wait would cost the short branch more than it gains.
MOST = 4


def pad_branches(module: B.Module) -> B.Module:
    """`module` with `ghost` statements in the shorter branches."""
    functions = {n: replace(f, body=_region(f.body)) for n, f in module.functions.items()}
    return replace(module, functions=functions)


def _region(region: B.Region) -> B.Region:
    return replace(region, stmts=tuple(_stmt(s) for s in region.stmts))


def _stmt(stmt: B.Stmt) -> B.Stmt:
    inner = [_region(r) for r in B.regions(stmt)]
    if isinstance(stmt, (B.If, B.Match)):
        # A branch that leaves does not come out where the others do.
        staying = [r for r in inner if isinstance(r.end, T.Yield)]
        depths = [advance(r) for r in staying]
        known = [d for d in depths if d is not None]
        if len(known) == len(depths) and known and 0 < max(known) - min(known) <= MOST:
            inner = [_padded(r, max(known)) if isinstance(r.end, T.Yield) else r for r in inner]
    return B.with_regions(stmt, inner)


def _padded(region: B.Region, depth: int) -> B.Region:
    missing = depth - (advance(region) or 0)
    if missing == 0:
        return region
    return replace(region, stmts=(*region.stmts, B.Ghost(missing)))


def advance(region: B.Region) -> int | None:
    """By how much `region` advances the depth; None if that is not the same every time."""
    total = 0
    for stmt in region.stmts:
        match stmt:
            case B.Run():
                total += not stmt.hoisted
            case B.Ghost(count):
                total += count
            case B.Let(_, T.Call() | T.Parallel() | T.Read() | T.NextPhase(), _):
                return None
            case B.Let():
                pass
            case B.If() | B.Match():
                depths = {advance(r) for r in B.regions(stmt)}
                if len(depths) != 1 or None in depths:
                    return None
                if not all(isinstance(r.end, T.Yield) for r in B.regions(stmt)):
                    return None
                total += depths.pop() or 0
            case B.For() | B.While() | B.Map():
                return None
    return total
