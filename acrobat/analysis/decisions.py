"""Which functions may suspend at a decision (paper: tensor-dependent control flow).

A function may suspend if it reads a tensor, or calls a function that may. Code that never suspends
runs as plain code; instances, concurrent calls and map iterations that may suspend become fibers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..ir import batched as B
from ..ir import rewrite
from ..ir import typed as T
from ..ir.batched_walk import statements
from ..ir.rewrite import called


def suspending_functions(module: B.Module | T.Module) -> frozenset[str]:
    """The names of the functions that may suspend."""
    suspending: set[str] = set()
    callers: defaultdict[str, set[str]] = defaultdict(set)
    work: list[str] = []
    for f in module.functions.values():
        for stmt in _statements(f.body):
            if isinstance(stmt, (B.Let, T.Let)):
                if rhs_may_suspend(stmt.rhs, frozenset()):
                    work.append(f.name)
                for call in called(stmt.rhs):
                    callers[call.function].add(f.name)
    while work:
        name = work.pop()
        if name not in suspending:
            suspending.add(name)
            work += callers[name]
    return frozenset(suspending)


def may_suspend(region: B.Region | T.Region, suspending: frozenset[str]) -> bool:
    """Whether some statement of `region` may suspend; `suspending` are the functions that may."""
    lets = (s for s in _statements(region) if isinstance(s, (B.Let, T.Let)))
    return any(rhs_may_suspend(s.rhs, suspending) for s in lets)


def _statements(region: B.Region | T.Region) -> Iterator[B.Stmt | T.Stmt]:
    return statements(region) if isinstance(region, B.Region) else rewrite.statements(region)


def rhs_may_suspend(rhs: B.Rhs | T.Rhs, suspending: frozenset[str]) -> bool:
    """Whether evaluating `rhs` may suspend."""
    match rhs:
        case T.Read():
            return True
        case T.Call(function, _):
            return function in suspending
        case T.Parallel(calls):
            return any(c.function in suspending for c in calls)
        case _:
            return False
