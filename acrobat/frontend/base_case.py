"""Recursion that cannot end: functions that call themselves again on every path."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import typed as T
from ..ir.rewrite import calls, regions
from ..ir.span import Span


def functions_without_base_case(functions: Mapping[str, T.Function]) -> list[tuple[str, Span]]:
    """Functions in which every path makes a call that never returns (least fixpoint)."""
    ending: set[str] = set()
    while True:
        more = {
            name for name, f in functions.items() if name not in ending and _ends(f.body, ending)[1]
        }
        if not more:
            break
        ending |= more
    stuck = [name for name in functions if name not in ending]
    # A caller of such a function is not to blame unless it is part of the cycle.
    return [(name, functions[name].span) for name in stuck if _reaches(functions, name, name)]


def _reaches(functions: Mapping[str, T.Function], start: str, goal: str) -> bool:
    seen: set[str] = set()
    work = [c.function for c in calls(functions[start].body)]
    while work:
        name = work.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            work.extend(c.function for c in calls(functions[name].body))
    return False


def _ends(region: T.Region, ending: set[str]) -> tuple[bool, bool]:
    """Whether some path falls through `region`, and whether some path returns from it, making
    only calls that end."""
    returns = False
    for stmt in region.stmts:
        if isinstance(stmt, T.Let):
            called: tuple[T.Call, ...] = ()
            if isinstance(stmt.rhs, T.Call):
                called = (stmt.rhs,)
            elif isinstance(stmt.rhs, T.Parallel):
                called = stmt.rhs.calls
            if any(c.function not in ending for c in called):
                return False, returns
            continue
        results = [_ends(r, ending) for r in regions(stmt)]
        returns |= any(r for _, r in results)
        if isinstance(stmt, (T.If, T.Match)):
            if not any(falls for falls, _ in results):
                return False, returns
        elif isinstance(stmt, T.While) and not results[0][0]:
            return False, returns
    if isinstance(region.end, T.Return):
        return False, True
    if isinstance(region.end, T.Raise):
        return False, returns
    # Ending an iteration or leaving a loop does not return from the function: it falls through.
    return isinstance(region.end, (T.Yield, T.Break, T.Continue)), returns
