"""Program phases: all instances finish a phase before any begins the next one.

The author may mark a phase with `ab.phase()`. Others are inferred: in the entry, after every
statement whose number of nodes differs between instances (a recursion, a loop, a map) and before
work that needs its results. Without a phase, that work would run at as many depths as there are
different lengths among the instances; and the phase costs nothing, because within one instance the
work comes later anyway.

The same holds within a branch (the root of a tree, treated unlike the nodes below it) and within an
iteration of a loop (a sentence is read word by word, then the document's state advances once): with
an `align`, the rest of it is batched across instances, at the price that instances with less work
before the `align` continue only when the others have caught up.
"""

from __future__ import annotations

from ..analysis.decisions import suspending_functions
from ..analysis.depth import Depths
from ..analysis.used import batched_uses
from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import map_entry, outs, regions, statements, with_regions
from ..ir.rebuild import rebuilt
from ..ir.rewrite import called


def infer_phases(module: B.Module, concurrent: bool) -> B.Module:
    """`module` with a `phase` after every statement of the entry whose depth varies. An entry that
    is called by a function gets no phases. With `concurrent`, statements that do not need each
    other will start at the same depth; without it, they run one after the other, as written."""
    if module.entry in _called(module):
        return module
    # Where instances suspend, the depths of the nodes that they record start over anyway.
    align = not suspending_functions(module)
    return map_entry(module, lambda body: _Phases(concurrent, align).body(body))


class _Phases:
    """Phases for the entry's body; its branches and loops are aligned if `align`."""

    def __init__(self, concurrent: bool, align: bool) -> None:
        self.concurrent, self.align = concurrent, align
        self.depths, self.uses = Depths(), batched_uses()

    def body(self, body: B.Region) -> B.Region:
        """The entry's body with phases."""
        stmts: list[B.Stmt] = []
        late = _Late(self)
        for stmt in body.stmts:
            if isinstance(stmt, B.Let) and isinstance(stmt.rhs, T.NextPhase):
                stmts.append(stmt)
                late = _Late(self)
                continue
            if late.precedes(stmt):
                stmts.append(B.Let((), T.NextPhase()))
                late = _Late(self)
            stmts.append(self._within(stmt, in_loop=False) if self.align else stmt)
            late.add(stmt)
        return rebuilt(body, stmts=tuple(stmts))

    def _within(self, stmt: B.Stmt, in_loop: bool) -> B.Stmt:
        """`stmt` with its branches aligned or, if it is an outermost loop, its iterations."""
        match stmt:
            case B.If() | B.Match():
                return with_regions(stmt, [self._aligned(r, in_loop) for r in regions(stmt)])
            case B.For() | B.While() if not in_loop:
                return rebuilt(stmt, body=self._aligned(stmt.body, in_loop=True, loop_body=True))
            case _:
                return stmt

    def _aligned(self, region: B.Region, in_loop: bool, loop_body: bool = False) -> B.Region:
        """`region` with an `align` after every statement whose depth varies, if other work follows;
        in a loop's body, that work may be in the next iteration."""
        stmts: list[B.Stmt] = []
        late = _Late(self)
        for stmt in region.stmts:
            if late.precedes(stmt):
                stmts.append(B.Align())
                late = _Late(self)
            stmts.append(self._within(stmt, in_loop))
            late.add(stmt)
        if loop_body and late.any and any(map(self._works_alike, region.stmts)):
            stmts.append(B.Align())
        return rebuilt(region, stmts=tuple(stmts))

    def _works_alike(self, stmt: B.Stmt) -> bool:
        return self.depths.works(stmt) and not self.depths.varies(stmt)


class _Late:
    """The statements whose depth varies since instances were last in step."""

    def __init__(self, known: _Phases) -> None:
        self.known, self.any = known, False
        self.results: set[T.Var] = set()

    def precedes(self, stmt: B.Stmt) -> bool:
        """Whether `stmt` may record nodes and must come after one of these statements."""
        if not self.any or not self.known.depths.works(stmt):
            return False
        return not self.known.concurrent or self._needed_by(stmt)

    def add(self, stmt: B.Stmt) -> None:
        """Add the results of `stmt` if its depth varies, or if it needs such results."""
        is_late = self.known.depths.varies(stmt)
        self.any |= is_late
        if is_late or self._needed_by(stmt):
            self.results |= set(outs(stmt))

    def _needed_by(self, stmt: B.Stmt) -> bool:
        return bool(self.results) and not self.results.isdisjoint(self.known.uses(stmt))


def without_phases(module: B.Module) -> B.Module:
    """`module` as one phase: phases that the author marked are removed, too."""

    def is_phase(stmt: B.Stmt) -> bool:
        return isinstance(stmt, B.Let) and isinstance(stmt.rhs, T.NextPhase)

    return map_entry(
        module,
        lambda body: rebuilt(body, stmts=tuple(s for s in body.stmts if not is_phase(s))),
    )


def _called(module: B.Module) -> set[str]:
    lets = (s for f in module.functions.values() for s in statements(f.body))
    return {c.function for s in lets if isinstance(s, B.Let) for c in called(s.rhs)}
