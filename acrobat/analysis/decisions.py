"""Which functions may suspend at a decision (paper: tensor-dependent control flow).

A function may suspend if it reads a tensor, or calls a function that may. What never suspends runs
as plain code; instances, concurrent calls and iterations of a map that may suspend become fibers.
"""

from __future__ import annotations

from ..ir import batched as B
from ..ir import rewrite
from ..ir import typed as T
from ..ir.batched_walk import statements


def waiting_functions(module: B.Module | T.Module) -> frozenset[str]:
    """The names of the functions that may suspend."""
    suspending: set[str] = set()
    while True:
        found = {
            f.name for f in module.functions.values() if region_waits(f.body, frozenset(suspending))
        }
        if found == suspending:
            return frozenset(suspending)
        suspending = found


def region_waits(region: B.Region | T.Region, suspending: frozenset[str]) -> bool:
    """Whether some statement of `region` may suspend; `suspending` are functions that may."""
    every = statements(region) if isinstance(region, B.Region) else rewrite.statements(region)
    return any(isinstance(s, (B.Let, T.Let)) and rhs_waits(s.rhs, suspending) for s in every)


def rhs_waits(rhs: B.Rhs | T.Rhs, suspending: frozenset[str]) -> bool:
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
