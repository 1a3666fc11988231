"""Remove what nothing uses: pure lets, and the outs of branches with the values yielded to them."""

from __future__ import annotations

from dataclasses import replace

from ..ir import typed as T
from ..ir.rewrite import uses


def prune_dead(module: T.Module) -> T.Module:
    """`module` without unused values. Every right-hand side is pure, calls included."""
    functions = {n: replace(f, body=_fixpoint(f.body)) for n, f in module.functions.items()}
    return replace(module, functions=functions)


def _fixpoint(region: T.Region) -> T.Region:
    while True:
        live = set(uses(region))
        pruned = _region(region, live)
        if pruned is region:
            return region
        region = pruned


def _region(region: T.Region, live: set[T.Var]) -> T.Region:
    """`region` without the statements and outs that are not in `live`; itself if there are none."""
    stmts: list[T.Stmt] = []
    changed = False
    for stmt in region.stmts:
        if isinstance(stmt, T.Let):
            if any(v in live for v in stmt.outs):
                stmts.append(stmt)
            else:
                changed = True
            continue
        new = _branches(stmt, live)
        changed |= new is not stmt
        if new is not None:
            stmts.append(new)
    return T.Region(tuple(stmts), region.end) if changed else region


def _branches(stmt: T.If | T.Match, live: set[T.Var]) -> T.Stmt | None:
    inner = (
        (stmt.then, stmt.orelse) if isinstance(stmt, T.If) else tuple(a.region for a in stmt.arms)
    )
    keep = [i for i, v in enumerate(stmt.outs) if v in live]
    yields = all(isinstance(r.end, T.Yield) for r in inner)
    if not keep and yields and all(_returns_never(r) for r in inner):
        return None
    new = [_region(r, live) for r in inner]
    if len(keep) < len(stmt.outs):
        new = [_yield_only(r, keep) for r in new]
    elif all(a is b for a, b in zip(new, inner, strict=True)):
        return stmt
    outs = tuple(stmt.outs[i] for i in keep)
    if isinstance(stmt, T.If):
        return replace(stmt, outs=outs, then=new[0], orelse=new[1])
    arms = tuple(replace(a, region=r) for a, r in zip(stmt.arms, new, strict=True))
    return replace(stmt, outs=outs, arms=arms)


def _yield_only(region: T.Region, keep: list[int]) -> T.Region:
    if not isinstance(region.end, T.Yield):
        return region
    return T.Region(region.stmts, T.Yield(tuple(region.end.values[i] for i in keep)))


def _returns_never(region: T.Region) -> bool:
    """Whether no path through `region` leaves the function."""
    if not isinstance(region.end, T.Yield):
        return False
    for stmt in region.stmts:
        if isinstance(stmt, T.If) and not (
            _returns_never(stmt.then) and _returns_never(stmt.orelse)
        ):
            return False
        if isinstance(stmt, T.Match) and not all(_returns_never(a.region) for a in stmt.arms):
            return False
    return True
