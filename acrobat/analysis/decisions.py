"""Which functions may wait for a tensor's value (paper: tensor-dependent control flow).

A function waits if it reads a tensor, or calls one that does. What never waits runs as plain code;
the instances, concurrent calls and turns of a map that may wait become fibers.
"""

from __future__ import annotations

from ..ir import batched as B
from ..ir import rewrite
from ..ir import typed as T
from ..ir.batched_walk import statements


def waiting_functions(module: B.Module | T.Module) -> frozenset[str]:
    """The names of the functions that may wait."""
    waiting: set[str] = set()
    while True:
        found = {
            f.name for f in module.functions.values() if region_waits(f.body, frozenset(waiting))
        }
        if found == waiting:
            return frozenset(waiting)
        waiting = found


def region_waits(region: B.Region | T.Region, waiting: frozenset[str]) -> bool:
    """Whether some statement of `region` may wait; `waiting` are functions that do."""
    every = statements(region) if isinstance(region, B.Region) else rewrite.statements(region)
    return any(isinstance(s, (B.Let, T.Let)) and rhs_waits(s.rhs, waiting) for s in every)


def rhs_waits(rhs: B.Rhs | T.Rhs, waiting: frozenset[str]) -> bool:
    """Whether evaluating `rhs` may wait."""
    match rhs:
        case T.Read():
            return True
        case T.Call(function, _):
            return function in waiting
        case T.Parallel(calls):
            return any(c.function in waiting for c in calls)
        case _:
            return False
