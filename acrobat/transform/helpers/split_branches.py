"""Split conditionals if only a part of them depends on values that are available late.

    for x in xs:                            for x in xs:
        if c(x):                                early = []
            found += [f(x)]         ->          if c(x):
                                                    early = [f(x)]
                                                if c(x):
                                                    found += [early[0]]

Now the first conditional needs no earlier iteration, and `distribute_loops` can move it. A value
that a branch passes to its second half travels in a list of one item, empty in other branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...ir import typed as T
from ...ir.rewrite import fresh_copy, regions, stmt_atoms, uses, with_regions
from ...ir.types import INT, ListType

Wanted = Callable[[Sequence[T.Stmt]], list[T.Stmt]]
Staying = Callable[[T.Region, Sequence[T.Stmt]], tuple[list[T.Stmt], set[T.Var]]]


def split_branches(
    stmts: Sequence[T.Stmt], late: set[T.Var], wanted: Wanted, staying: Staying
) -> list[T.Stmt]:
    """`stmts` with conditionals split. Of the statements in a branch that do not need `late`,
    `wanted` selects those that should not wait for it; `staying` tells which then stay behind."""
    late, found = set(late), list[T.Stmt]()
    for stmt in stmts:
        if late.isdisjoint(uses(T.Region((stmt,), T.Unreachable()))):
            found.append(stmt)
            continue
        parts = _split(stmt, late, wanted, staying) if isinstance(stmt, (T.If, T.Match)) else [stmt]
        found += parts
        late.update(stmt.outs)
    return found


def _split(
    stmt: T.If | T.Match, late: set[T.Var], wanted: Wanted, staying: Staying
) -> list[T.Stmt]:
    inner = regions(stmt)
    ends = all(isinstance(r.end, T.Yield) for r in inner)
    if not ends or any(a in late for a in stmt_atoms(stmt) if isinstance(a, T.Var)):
        return [stmt]
    first: list[list[T.Stmt]] = []
    second: list[T.Region] = []
    passed: list[list[T.Var]] = []
    for region in inner:
        body = replace(region, stmts=tuple(split_branches(region.stmts, late, wanted, staying)))
        moved = wanted(_early(body, late))
        left, needed = staying(body, moved)
        values = [v for s in moved if s not in left for v in s.outs if v in needed]
        first.append(moved if values else [])
        second.append(replace(body, stmts=tuple(left)) if values else region)
        passed.append(values)
    if not any(passed):
        return [stmt]
    lists = [[T.Var(v.name, ListType(v.type)) for v in values] for values in passed]
    before: list[T.Region] = []
    behind: list[T.Region] = []
    for at, (body, moved) in enumerate(zip(second, first, strict=True)):
        makes: list[T.Let] = []
        for which, values in enumerate(passed):
            for v, items in zip(values, lists[which], strict=True):
                item = (v,) if which == at else ()
                makes.append(T.Let((T.Var(v.name, items.type),), T.ListOp("make", item), stmt.span))
        outs = tuple(m.outs[0] for m in makes)
        before.append(T.Region((*moved, *makes), T.Yield(outs)))
        reads = [
            T.Let((v,), T.ListOp("get", (items, T.Const(0, INT))), stmt.span)
            for v, items in zip(passed[at], lists[at], strict=True)
        ]
        behind.append(replace(body, stmts=(*reads, *body.stmts)))
    early = _copied(replace(stmt, outs=tuple(v for some in lists for v in some)), before)
    return [early, with_regions(stmt, behind)]


def _early(body: T.Region, late: set[T.Var]) -> list[T.Stmt]:
    """The statements of a branch that do not need `late`."""
    late, found = set(late), list[T.Stmt]()
    for stmt in body.stmts:
        if late.isdisjoint(uses(T.Region((stmt,), T.Unreachable()))):
            found.append(stmt)
        else:
            late.update(stmt.outs)
    return found


def _copied(stmt: T.If | T.Match, inner: Sequence[T.Region]) -> T.Stmt:
    """`stmt` with copies of `inner` that have new variables."""
    if isinstance(stmt, T.If):
        return with_regions(stmt, [fresh_copy(r, {}) for r in inner])
    arms = []
    for arm, region in zip(stmt.arms, inner, strict=True):
        binds = tuple(T.Var(v.name, v.type) for v in arm.binds)
        copy = fresh_copy(region, dict(zip(arm.binds, binds, strict=True)))
        arms.append(replace(arm, binds=binds, region=copy))
    return replace(stmt, arms=tuple(arms))
