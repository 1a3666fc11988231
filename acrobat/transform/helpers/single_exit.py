"""Turn early returns into yields: afterwards a function returns only at the end of its body.

`if c: return a` followed by `rest` becomes `r = if c: yield a else: rest; yield ...` and
`return r`. The rest moves into the one branch that falls through. If several branches fall through
and others return, the function is left unchanged (the rest would have to be copied), and likewise
if it returns from within a loop.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir import typed as T
from ...ir.exits import Exits
from ...ir.rewrite import regions, substitute, with_regions
from ...ir.types import Type


def single_exit(function: T.Function) -> T.Function | None:
    """`function` with one Return, at the end of its body; None if it has to be left unchanged."""
    finder = _SingleExit(function.results)
    body = finder.yields(function.body)
    if body is None:
        return None
    body = substitute(body, finder.resolved())
    if not isinstance(body.end, T.Yield):
        return None  # every path raises
    return replace(function, body=T.Region(body.stmts, T.Return(body.end.values, function.span)))


class _SingleExit:
    """`env`: the values that replace the outs of branches into which the rest was moved."""

    def __init__(self, results: tuple[Type, ...]) -> None:
        self.results, self.exits = results, Exits()
        self.env: dict[T.Var, T.Atom] = {}

    def resolved(self) -> dict[T.Var, T.Atom]:
        """`env` with chains resolved: no value in it is a variable that it replaces."""
        for var in self.env:
            chain, atom = [var], self.env[var]
            while isinstance(atom, T.Var) and atom in self.env:
                chain.append(atom)
                atom = self.env[atom]
            self.env.update(dict.fromkeys(chain, atom))
        return self.env

    def yields(self, region: T.Region) -> T.Region | None:
        """`region`, in which every path returns, with the returned values yielded instead; None if
        that is not possible."""
        for i, stmt in enumerate(region.stmts):
            if not isinstance(stmt, (T.If, T.Match)):
                if self.exits.returns(stmt):
                    return None  # out of a loop
                continue
            if not any(map(self.exits.leaves, regions(stmt))):
                continue
            falling = [r for r in regions(stmt) if isinstance(r.end, T.Yield)]
            if len(falling) > 1:
                return None
            outs = tuple(T.Var(f"result_{n}", t) for n, t in enumerate(self.results))
            inner: list[T.Region] = []
            for sub in regions(stmt):
                if isinstance(sub.end, T.Yield):
                    self.env.update(zip(stmt.outs, sub.end.values, strict=True))
                    sub = T.Region(sub.stmts + region.stmts[i + 1 :], region.end)
                converted = self.yields(sub)
                if converted is None:
                    return None
                inner.append(converted)
            new = replace(with_regions(stmt, inner), outs=outs)
            return T.Region((*region.stmts[:i], new), T.Yield(outs))
        if isinstance(region.end, T.Raise):
            return region
        if not isinstance(region.end, T.Return):
            return None
        return T.Region(region.stmts, T.Yield(region.end.values))
