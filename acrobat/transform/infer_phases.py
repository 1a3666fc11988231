"""Program phases: everything of a phase, of all instances, runs before the next one begins.

The author may mark a phase with `ab.phase()`. Others are inferred: in the entry, after every
statement whose number of nodes differs between instances (a recursion, a loop, a map) and before
more work follows. Without it, what follows would run at as many depths as instances have lengths;
and it loses nothing, because in one instance it follows anyway.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import batched as B
from ..ir import typed as T
from .pad_branches import profile


def infer_phases(module: B.Module) -> B.Module:
    """`module` with a `phase` after every statement of the entry that takes its own time. An entry
    that is called by a function has no phases."""
    entry = module.functions[module.entry]
    if module.entry in _called(module):
        return module
    stmts: list[B.Stmt] = []
    pending = False
    for stmt in entry.body.stmts:
        if isinstance(stmt, B.Let) and isinstance(stmt.rhs, T.NextPhase):
            stmts.append(stmt)
            pending = False
            continue
        if pending and _works(stmt):
            stmts.append(B.Let((), T.NextPhase()))
            pending = False
        stmts.append(stmt)
        pending |= profile(B.Region((stmt,), T.Unreachable())) is None
    body = replace(entry.body, stmts=tuple(stmts))
    return replace(module, functions={**module.functions, entry.name: replace(entry, body=body)})


def without_phases(module: B.Module) -> B.Module:
    """`module` as one phase: also what the author marked is not regarded."""
    entry = module.functions[module.entry]
    stmts = tuple(
        s for s in entry.body.stmts if not (isinstance(s, B.Let) and isinstance(s.rhs, T.NextPhase))
    )
    body = replace(entry.body, stmts=stmts)
    return replace(module, functions={**module.functions, entry.name: replace(entry, body=body)})


def _called(module: B.Module) -> set[str]:
    found: set[str] = set()
    for f in module.functions.values():
        for stmt in B.statements(f.body):
            if isinstance(stmt, B.Let):
                match stmt.rhs:
                    case T.Call(function, _):
                        found.add(function)
                    case T.Parallel(calls):
                        found.update(c.function for c in calls)
                    case _:
                        pass
    return found


def _works(stmt: B.Stmt) -> bool:
    """Whether `stmt` may record nodes."""
    return any(
        isinstance(s, B.Run) or (isinstance(s, B.Let) and isinstance(s.rhs, (T.Call, T.Parallel)))
        for s in B.statements(B.Region((stmt,), T.Unreachable()))
    )
