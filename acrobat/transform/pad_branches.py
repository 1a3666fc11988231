"""Give the branches of a conditional the same depth (paper: ghost operators).

Instances that take different branches come out of them at different depths, and what follows no
longer lines up across instances. If the number of nodes of every branch is known and the numbers
differ little, the shorter branches advance the depth as if they had the missing nodes. The ghosts
are placed so that the nodes after them run at the same depth as nodes of the same block in the
longest branch and batch with them (a parser's push, with a reduction before it or without);
otherwise at the end.
"""

from __future__ import annotations

from dataclasses import replace

from ..analysis.depth import Depths, Profile, either
from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import map_bodies, regions, with_regions
from ..ir.rebuild import rebuilt

# Beyond this many missing nodes the delay would cost the short branch more than batching gains.
MOST = 4


def pad_branches(module: B.Module) -> B.Module:
    """`module` with `ghost` statements in the shorter branches."""
    depths = Depths()
    return map_bodies(module, lambda body: _region(body, depths))


def _region(region: B.Region, depths: Depths) -> B.Region:
    return rebuilt(region, stmts=tuple(_stmt(s, depths) for s in region.stmts))


def _stmt(stmt: B.Stmt, depths: Depths) -> B.Stmt:
    inner = [_region(r, depths) for r in regions(stmt)]
    if isinstance(stmt, (B.If, B.Match)):
        # A branch that leaves does not continue where the others do.
        staying = [r for r in inner if isinstance(r.end, T.Yield)]
        known = [p for p in map(depths.profile, staying) if p is not None]
        most = max(map(len, known), default=0)
        if len(known) == len(staying) and 0 < most - min(map(len, known), default=most) <= MOST:
            goal = either([p for p in known if len(p) == most])
            inner = [_padded(r, goal, depths) if isinstance(r.end, T.Yield) else r for r in inner]
    return with_regions(stmt, inner)


def _padded(region: B.Region, goal: Profile, depths: Depths) -> B.Region:
    """`region` padded with ghosts to as many steps as `goal`. They are placed to maximise the
    number of steps at which `region` may run a block that `goal` may run, too."""
    profiles = [depths.profile_of(s) or () for s in region.stmts]
    missing = len(goal) - sum(map(len, profiles))

    # Dynamic programming over the statements, last first: for every number of ghosts left, how many
    # steps can agree from there on, and the ghosts to place before it, as late as possible.
    choices: list[list[int]] = []
    agree = [0] * (missing + 1)
    end = len(goal) - missing
    for own in reversed(profiles):
        end -= len(own)
        best: list[tuple[int, int]] = []
        for left in range(missing + 1):
            options = range(left + 1 if own else 1)
            at = end + missing - left
            found = [
                sum(bool(p & goal[at + n + i]) for i, p in enumerate(own)) + agree[left - n]
                for n in options
            ]
            best.append((max(found), found.index(max(found))))
        agree = [total for total, _ in best]
        choices.append([n for _, n in best])
    before: list[int] = []
    left = missing
    for choice in reversed(choices):
        before.append(choice[left])
        left -= choice[left]
    stmts: list[B.Stmt] = []
    for count, stmt in zip((*before, left), (*region.stmts, None), strict=True):
        stmts += [B.Ghost(count)] if count else []
        stmts += [stmt] if stmt is not None else []
    return replace(region, stmts=tuple(stmts))
