"""Inline every function that does not recurse, so that its operations and the caller's
can form one static block.

A static block cannot reach across a call; after this pass, only recursive calls remain. The calls
of an `ab.parallel` are inlined only if all of them are straight-line code: then the blocks they
become are independent anyway. Otherwise they stay calls, which is what gives each of them its own
depth. Unfolding a call tree can make it grow exponentially, so the amount of inlining is limited
(`helpers/choose_inlined.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..analysis.call_graph import recursive
from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import called, calls, map_end, map_stmt
from ..ir.types import UnionType
from .helpers.choose_inlined import Inlined, choose_inlined
from .helpers.single_exit import single_exit


def inline_calls(module: T.Module) -> T.Module:
    """`module` in which only recursive functions, the entry, and functions that are too large to
    be copied remain."""
    keep = recursive(module)
    wanted = {c.function for f in module.functions.values() for c in calls(f.body)} - keep
    single = {n: single_exit(f) for n, f in module.functions.items() if n in wanted}
    bodies = {n: f for n, f in single.items() if f is not None}
    inlined = choose_inlined(module, bodies)
    done: dict[str, T.Function] = {}
    work = [module.entry]
    while work:
        name = work.pop()
        if name not in done:
            f = module.functions[name]
            body = _Body({}, bodies, inlined, is_copy=False).region(f.body)
            done[name] = rebuilt(f, body=body)
            work.extend(c.function for c in calls(body))
    return rebuilt(module, functions={n: done[n] for n in module.functions if n in done})


def _known(stmt: T.Stmt) -> T.Stmt:
    """Drop the arms of a `match` for data types that the caller rules out."""
    if not isinstance(stmt, T.Match):
        return stmt
    t = stmt.subject.type
    among = t.members if isinstance(t, UnionType) else (str(t),)
    kept = tuple(a for a in stmt.arms if a.data in among)
    return stmt if len(kept) == len(stmt.arms) else rebuilt(stmt, arms=kept)


class _Body:
    """A function's body while the calls in it are replaced; `is_copy`: the body replaces a call
    itself, and gets new variables."""

    def __init__(
        self,
        env: dict[T.Var, T.Atom],
        bodies: Mapping[str, T.Function],
        inlined: Inlined,
        is_copy: bool,
    ) -> None:
        self.env, self.bodies, self.inlined, self.is_copy = env, bodies, inlined, is_copy

    def region(self, region: T.Region) -> T.Region:
        """A region of the body, with its calls replaced."""
        stmts: list[T.Stmt] = []
        for stmt in region.stmts:
            if isinstance(stmt, T.Let) and self.inlined.takes(stmt.rhs):
                results = [v for call in called(stmt.rhs) for v in self._splice(call, stmts)]
                self.env.update(zip(stmt.outs, results, strict=True))
            else:
                stmts.append(_known(map_stmt(stmt, self._use, self._define, self.region)))
        return rebuilt(region, stmts=tuple(stmts), end=map_end(region.end, self._use))

    def _use(self, var: T.Var) -> T.Atom:
        return self.env.get(var, var)

    def _define(self, var: T.Var) -> T.Var:
        if not self.is_copy:
            return var
        new = self.env[var] = T.Var(var.name, var.type)
        return new

    def _splice(self, call: T.Call, stmts: list[T.Stmt]) -> tuple[T.Atom, ...]:
        """Append the body of the called function to `stmts`, and return its results."""
        callee = self.bodies[call.function]
        args = [self._use(a) if isinstance(a, T.Var) else a for a in call.args]
        env = dict(zip(callee.params, args, strict=True))
        body = _Body(env, self.bodies, self.inlined, is_copy=True).region(callee.body)
        assert isinstance(body.end, T.Return)
        stmts.extend(body.stmts)
        return body.end.values
