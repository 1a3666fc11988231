"""By how much statements advance the depth of the dataflow graph."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import regions, statements

# Of a region that always advances the depth by as much: for every step, the blocks that may run.
Profile = tuple[frozenset[int], ...]


def profile(region: B.Region) -> Profile | None:
    """The steps by which `region` advances the depth; None if they are not always as many."""
    steps: Profile = ()
    for stmt in region.stmts:
        more = profile_of(stmt)
        if more is None:
            return None
        steps += more
    return steps


def profile_of(stmt: B.Stmt) -> Profile | None:
    """The same of one statement."""
    match stmt:
        case B.Run():
            return () if stmt.hoisted else (frozenset({stmt.block}),)
        case B.Ghost(count):
            return (frozenset(),) * count
        case B.Let(_, T.Call() | T.Parallel() | T.Read() | T.NextPhase(), _):
            return None
        case B.Let():
            return ()
        case B.If() | B.Match():
            inner = regions(stmt)
            known = [p for p in map(profile, inner) if p is not None]
            if len(known) < len(inner) or len(set(map(len, known))) != 1:
                return None
            return either(known) if all(isinstance(r.end, T.Yield) for r in inner) else None
        case _:
            return None


def either(profiles: Sequence[Profile]) -> Profile:
    """The steps of one or another of `profiles`, which are equally many."""
    return tuple(frozenset().union(*steps) for steps in zip(*profiles, strict=True))


def varies(stmt: B.Stmt) -> bool:
    """Whether `stmt` advances the depth by different amounts at different times."""
    return profile_of(stmt) is None


def works(stmt: B.Stmt) -> bool:
    """Whether `stmt` may record nodes."""
    return any(
        isinstance(s, B.Run) or (isinstance(s, B.Let) and isinstance(s.rhs, (T.Call, T.Parallel)))
        for s in statements(B.Region((stmt,), T.Unreachable()))
    )
