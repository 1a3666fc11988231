"""The variables that a statement uses, including everything nested in it, for either IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir import batched as B
from ..ir import batched_walk, rewrite
from ..ir import typed as T
from ..ir.once_per_node import OncePerNode

Find = Callable[[Any], frozenset[T.Var]]


def typed_uses() -> OncePerNode[T.Stmt, frozenset[T.Var]]:
    """The variables used by statements of the typed IR."""
    found: OncePerNode[T.Stmt, frozenset[T.Var]]
    found = OncePerNode(lambda s: _used(rewrite.stmt_atoms(s), rewrite.regions(s), found))
    return found


def batched_uses() -> OncePerNode[B.Stmt, frozenset[T.Var]]:
    """The variables used by statements of the batched IR."""
    found: OncePerNode[B.Stmt, frozenset[T.Var]]
    found = OncePerNode(lambda s: _used(batched_walk.atoms(s), batched_walk.regions(s), found))
    return found


def _used(
    own: tuple[T.Atom, ...], inner: tuple[T.Region, ...] | tuple[B.Region, ...], find: Find
) -> frozenset[T.Var]:
    parts = [frozenset(a for a in own if isinstance(a, T.Var))]
    for region in inner:
        parts += [find(s) for s in region.stmts]
        if not isinstance(region.end, T.Unreachable):
            parts.append(frozenset(v for v in region.end.values if isinstance(v, T.Var)))
    return frozenset().union(*parts) if len(parts) > 1 else parts[0]
