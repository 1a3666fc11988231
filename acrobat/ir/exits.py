"""Which paths of the typed IR leave a region or a function before its end."""

from __future__ import annotations

from . import typed as T
from .once_per_node import OncePerNode
from .rewrite import regions


class Exits:
    """Facts about statements; each statement is examined once."""

    def __init__(self) -> None:
        self._leaves = OncePerNode(self._find_leaves)
        self._returns = OncePerNode(self._find_returns)
        self._raises = OncePerNode(self._find_raises)

    def leaves(self, region: T.Region) -> bool:
        """Whether some path through `region` leaves it before its end, or the end itself leaves. A
        path that raises does not count: it goes nowhere."""
        staying = isinstance(region.end, (T.Yield, T.Raise))
        return not staying or any(map(self._leaves, region.stmts))

    def returns(self, stmt: T.Stmt) -> bool:
        """Whether some path through `stmt` leaves the function."""
        return self._returns(stmt)

    def raises(self, stmt: T.Stmt) -> bool:
        """Whether some path through `stmt` raises."""
        return self._raises(stmt)

    def _find_leaves(self, stmt: T.Stmt) -> bool:
        if isinstance(stmt, (T.If, T.Match)):
            return any(map(self.leaves, regions(stmt)))
        return self.returns(stmt)

    def _find_returns(self, stmt: T.Stmt) -> bool:
        return any(
            isinstance(r.end, T.Return) or any(map(self.returns, r.stmts)) for r in regions(stmt)
        )

    def _find_raises(self, stmt: T.Stmt) -> bool:
        return any(
            isinstance(r.end, T.Raise) or any(map(self.raises, r.stmts)) for r in regions(stmt)
        )
