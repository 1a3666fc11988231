"""How far statements advance the depth of the dataflow graph."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import regions
from ..ir.once_per_node import OncePerNode

# For a region that always advances the depth by the same amount: per step, the blocks that may run.
Profile = tuple[frozenset[int], ...]


class Depths:
    """The depth profiles of statements, each computed once."""

    def __init__(self) -> None:
        self._profile_of = OncePerNode(self._find_profile)
        self._works = OncePerNode(self._find_works)

    def profile(self, region: B.Region) -> Profile | None:
        """The steps by which `region` advances the depth; None if their number varies."""
        steps: list[frozenset[int]] = []
        for stmt in region.stmts:
            more = self.profile_of(stmt)
            if more is None:
                return None
            steps += more
        return tuple(steps)

    def profile_of(self, stmt: B.Stmt) -> Profile | None:
        """The steps by which `stmt` advances the depth; None if their number varies."""
        return self._profile_of(stmt)

    def varies(self, stmt: B.Stmt) -> bool:
        """Whether `stmt` advances the depth by different amounts at different times."""
        return self.profile_of(stmt) is None

    def works(self, stmt: B.Stmt) -> bool:
        """Whether `stmt` may record nodes."""
        return self._works(stmt)

    def _find_profile(self, stmt: B.Stmt) -> Profile | None:
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
                inner = [r for r in regions(stmt) if not isinstance(r.end, T.Raise)]
                known = [p for p in map(self.profile, inner) if p is not None]
                if len(known) < len(inner) or len(set(map(len, known))) != 1:
                    return None
                return either(known) if all(isinstance(r.end, T.Yield) for r in inner) else None
            case _:
                return None

    def _find_works(self, stmt: B.Stmt) -> bool:
        if isinstance(stmt, B.Run):
            return True
        if isinstance(stmt, B.Let):
            return isinstance(stmt.rhs, (T.Call, T.Parallel))
        return any(self.works(s) for r in regions(stmt) for s in r.stmts)


def either(profiles: Sequence[Profile]) -> Profile:
    """The step-by-step union of `profiles`, which have the same length."""
    return tuple(frozenset().union(*steps) for steps in zip(*profiles, strict=True))
