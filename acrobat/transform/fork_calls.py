"""Turn independent calls that may suspend at a tensor-dependent decision into the branches of one
`parallel`, so that they suspend together.

    a = grow(left)                  x = half(size)
    x = half(size)          ->      a, b = parallel(grow(left), grow(x))
    b = grow(x)                     c = op(a, b)
    c = op(a, b)

Sequential calls would suspend one after the other, and each time only the few nodes that the
instances have recorded by then would run. In an `ab.parallel`, each call is a separate branch, and
the computation of their arguments is one static block. (Calls that never suspend are left to
`infer_parallelism`.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ..analysis.decisions import rhs_may_suspend, suspending_functions
from ..analysis.used import typed_uses
from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_bodies, regions, with_regions

Place = Literal["before", "call", "behind"]
Uses = Callable[[T.Stmt], frozenset[T.Var]]


def fork_calls(module: T.Module) -> T.Module:
    """`module` with such calls as branches of one `parallel`."""
    suspending = suspending_functions(module)
    uses = typed_uses()

    def region(r: T.Region) -> T.Region:
        stmts = [with_regions(s, [region(inner) for inner in regions(s)]) for s in r.stmts]
        return rebuilt(r, stmts=tuple(_forked(stmts, suspending, uses)))

    return map_bodies(module, region)


def _forked(stmts: list[T.Stmt], suspending: frozenset[str], uses: Uses) -> list[T.Stmt]:
    found: list[T.Stmt] = []
    taken: list[tuple[Place, T.Stmt]] = []  # from the first call on
    results: set[T.Var] = set()  # of the calls, and of the statements behind them

    def close() -> None:
        calls = [s for place, s in taken if place == "call"]
        if len(calls) > 1:
            found.extend(s for place, s in taken if place == "before")
            found.append(_together(calls))
            found.extend(s for place, s in taken if place == "behind")
        else:
            found.extend(s for _, s in taken)
        taken.clear()
        results.clear()

    for stmt in stmts:
        is_call = isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Call)
        needs = bool(results) and not results.isdisjoint(uses(stmt))
        if (is_call and needs) or not (is_call or _moves(stmt)):
            close()
        place: Place = "behind" if needs or is_call else "before"
        if isinstance(stmt, T.Let) and is_call and rhs_may_suspend(stmt.rhs, suspending):
            place = "call"
        elif not taken:
            found.append(stmt)
            continue
        taken.append((place, stmt))
        if place != "before":
            results.update(stmt.outs)
    close()
    return found


def _moves(stmt: T.Stmt) -> bool:
    """Whether `stmt` may swap places with a call that it does not depend on."""
    other = (T.Call, T.Parallel, T.Read, T.NextPhase)
    return isinstance(stmt, T.Let) and not isinstance(stmt.rhs, other)


def _together(calls: list[T.Stmt]) -> T.Let:
    lets = [c for c in calls if isinstance(c, T.Let)]
    targets = tuple(v for c in lets for v in c.outs)
    return T.Let(targets, T.Parallel(tuple(_call(c) for c in lets)), lets[0].span)


def _call(stmt: T.Let) -> T.Call:
    assert isinstance(stmt.rhs, T.Call)
    return stmt.rhs
