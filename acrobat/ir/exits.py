"""Which paths of the typed IR leave a region or a function before its end."""

from __future__ import annotations

from . import typed as T
from .rewrite import regions


def leaves(region: T.Region) -> bool:
    """Whether some path through `region` does not reach its end, or the end leaves."""
    if not isinstance(region.end, T.Yield):
        return True
    for stmt in region.stmts:
        if isinstance(stmt, (T.If, T.Match)):
            if any(map(leaves, regions(stmt))):
                return True
        elif returns(stmt):
            return True
    return False


def returns(stmt: T.Stmt) -> bool:
    """Whether some path through `stmt` leaves the function."""
    return any(isinstance(r.end, T.Return) or any(map(returns, r.stmts)) for r in regions(stmt))
