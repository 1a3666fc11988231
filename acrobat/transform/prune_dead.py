"""Remove dead code: lets that nothing uses, the outs of branches with the values yielded to them,
loop variables that only keep themselves alive, and statements that are left without a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir import typed as T
from ..ir.exits import Exits
from ..ir.rewrite import map_bodies, regions, rhs_atoms, stmt_atoms, with_regions


def prune_dead(module: T.Module) -> T.Module:
    """`module` without unused values. Every right-hand side is pure, calls included."""
    exits = Exits()
    return map_bodies(module, lambda body: _fixpoint(body, exits))


def _fixpoint(body: T.Region, exits: Exits) -> T.Region:
    while True:
        live = _Liveness(body, exits).live
        pruned = _Pruned(live, exits).region(body)
        if pruned is body:
            return body
        body = pruned


class _Liveness:
    """The variables that some effect needs. Effects are what leaves a region (returned values,
    and the conditions under which a path returns, breaks, continues or raises); everything else is
    needed only if its result is."""

    def __init__(self, body: T.Region, exits: Exits) -> None:
        self.exits = exits
        self.live: set[T.Var] = set()
        self.sources: dict[T.Var, list[T.Atom]] = {}
        roots: list[T.Atom] = []
        self._region(body, (), (), roots)
        work = [a for a in roots if isinstance(a, T.Var)]
        while work:
            var = work.pop()
            if var not in self.live:
                self.live.add(var)
                work.extend(a for a in self.sources.get(var, ()) if isinstance(a, T.Var))

    def _depend(self, targets: Sequence[T.Var], atoms: Sequence[T.Atom]) -> None:
        for target in targets:
            self.sources.setdefault(target, []).extend(atoms)

    def _each(self, targets: Sequence[T.Var], atoms: Sequence[T.Atom]) -> None:
        for target, atom in zip(targets, atoms, strict=True):
            self.sources.setdefault(target, []).append(atom)

    def _region(
        self,
        region: T.Region,
        outs: Sequence[T.Var],
        loop: tuple[Sequence[T.Var], Sequence[T.Var]] | tuple[()],
        roots: list[T.Atom],
    ) -> None:
        """`outs` receive what the region yields; `loop` holds the carried variables and the outs
        of the innermost enclosing loop."""
        for stmt in region.stmts:
            control = stmt_atoms(stmt)
            match stmt:
                case T.Let(targets, rhs, _):
                    self._depend(targets, rhs_atoms(rhs))
                    continue
                case T.If() | T.Match():
                    self._depend(stmt.outs, control)
                    if any(map(self.exits.leaves, regions(stmt))) or self.exits.raises(stmt):
                        roots.extend(control)
                    for arm in stmt.arms if isinstance(stmt, T.Match) else ():
                        self._depend(arm.binds, control)
                    for inner in regions(stmt):
                        self._region(inner, stmt.outs, loop, roots)
                case T.For() | T.While():
                    self._each(stmt.carried, stmt.inits)
                    self._each(stmt.outs, stmt.carried)
                    inside = (stmt.carried, stmt.outs)
                    if isinstance(stmt, T.For):
                        bounds: tuple[T.Atom, ...] = (stmt.start, stmt.stop, stmt.step)
                        self._depend((*stmt.carried, stmt.index), bounds)
                    else:
                        assert isinstance(stmt.cond.end, T.Yield)
                        bounds = stmt.cond.end.values
                        self._depend(stmt.carried, bounds)
                        self._region(T.Region(stmt.cond.stmts, T.Unreachable()), (), inside, roots)
                    if self.exits.returns(stmt) or self.exits.raises(stmt):
                        roots.extend(bounds)
                    self._region(stmt.body, stmt.carried, inside, roots)
                case T.Map():
                    self._depend((*stmt.outs, stmt.index), control)
                    if stmt.filtered:
                        assert isinstance(stmt.body.end, T.Yield)
                        self._depend(stmt.outs, stmt.body.end.values[:1])
                        body = T.Region(stmt.body.stmts, T.Yield(stmt.body.end.values[1:]))
                    else:
                        body = stmt.body
                    self._region(body, stmt.outs, (), roots)
        match region.end:
            case T.Return(values) | T.Raise(_, values):
                roots.extend(values)
            case T.Yield(values):
                self._each(outs, values)
            case T.Break(values) | T.Continue(values):
                assert loop
                # A break also gives values for variables that only the next iteration needs: a
                # variable is kept either everywhere or nowhere.
                for takers in loop[: 1 + isinstance(region.end, T.Break)]:
                    self._each(takers, values)


class _Pruned:
    """Removes everything but the `live` variables from regions."""

    def __init__(self, live: set[T.Var], exits: Exits) -> None:
        self.live, self.exits = live, exits

    def region(
        self,
        region: T.Region,
        keep: Sequence[int] | None = None,
        loop: Sequence[int] | None = None,
    ) -> T.Region:
        """`region` without dead code; `region` itself if it has none. `keep` are the positions
        that it still yields (None: all), `loop` those that its breaks and continues still pass."""
        stmts: list[T.Stmt] = []
        changed = False
        for stmt in region.stmts:
            new = self._stmt(stmt, loop)
            changed |= new is not stmt
            if new is not None:
                stmts.append(new)
        end = region.end
        if keep is not None and isinstance(end, T.Yield) and len(keep) < len(end.values):
            end, changed = T.Yield(tuple(end.values[i] for i in keep)), True
        if (
            loop is not None
            and isinstance(end, (T.Break, T.Continue))
            and len(loop) < len(end.values)
        ):
            end, changed = replace(end, values=tuple(end.values[i] for i in loop)), True
        return T.Region(tuple(stmts), end) if changed else region

    def _stmt(self, stmt: T.Stmt, loop: Sequence[int] | None) -> T.Stmt | None:
        match stmt:
            case T.Let(outs, rhs, _):
                used = any(v in self.live for v in outs) or isinstance(rhs, T.NextPhase)
                return stmt if used else None
            case T.If() | T.Match():
                keep = [i for i, v in enumerate(stmt.outs) if v in self.live]
                acts = any(map(self.exits.leaves, regions(stmt))) or self.exits.raises(stmt)
                if not keep and not acts:
                    return None
                new = with_regions(stmt, [self.region(r, keep, loop) for r in regions(stmt)])
            case T.For() | T.While():
                pairs = zip(stmt.outs, stmt.carried, strict=True)
                keep = [
                    i for i, (out, var) in enumerate(pairs) if out in self.live or var in self.live
                ]
                acts = self.exits.returns(stmt) or self.exits.raises(stmt)
                if not any(v in self.live for v in stmt.outs) and not acts:
                    return None
                inner = [self.region(r) for r in regions(stmt)[:-1]]
                new = with_regions(stmt, [*inner, self.region(stmt.body, keep, keep)])
                if len(keep) < len(stmt.outs):
                    assert isinstance(new, (T.For, T.While))
                    new = replace(
                        new,
                        carried=tuple(stmt.carried[i] for i in keep),
                        inits=tuple(stmt.inits[i] for i in keep),
                    )
            case T.Map():
                keep = [i for i, v in enumerate(stmt.outs) if v in self.live]
                if not keep:
                    return None
                values = [0, *(i + 1 for i in keep)] if stmt.filtered else keep
                new = with_regions(stmt, [self.region(stmt.body, values)])
        if len(keep) < len(stmt.outs):
            new = replace(new, outs=tuple(stmt.outs[i] for i in keep))
        return new
