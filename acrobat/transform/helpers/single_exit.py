"""Turn early returns into yields: afterwards a function returns only at the end of its body.

`if c: return a` followed by `rest` becomes `r = if c: yield a else: rest; yield ...` and
`return r`. The rest moves into the one branch that falls through; where several branches fall
through and others return, the function is left as it is (the rest would be copied), and so it is if
it returns from within a loop.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir import typed as T
from ...ir.exits import leaves, returns
from ...ir.rewrite import regions, substitute, with_regions
from ...ir.types import Type


def single_exit(function: T.Function) -> T.Function | None:
    """`function` with one Return, at the end of its body; None if that needs copied code."""
    body = _to_yield(function.body, function.results)
    if body is None:
        return None
    assert isinstance(body.end, T.Yield)
    return replace(function, body=T.Region(body.stmts, T.Return(body.end.values, function.span)))


def _to_yield(region: T.Region, results: tuple[Type, ...]) -> T.Region | None:
    """`region`, whose every path returns, as a region that yields the returned values instead."""
    for i, stmt in enumerate(region.stmts):
        if not isinstance(stmt, (T.If, T.Match)):
            if returns(stmt):
                return None  # out of a loop
            continue
        if not any(map(leaves, regions(stmt))):
            continue
        rest = T.Region(region.stmts[i + 1 :], region.end)
        falling = [r for r in regions(stmt) if isinstance(r.end, T.Yield)]
        if len(falling) > 1:
            return None
        outs = tuple(T.Var(f"result_{n}", t) for n, t in enumerate(results))
        inner: list[T.Region] = []
        for sub in regions(stmt):
            if isinstance(sub.end, T.Yield):
                env: dict[T.Var, T.Atom] = dict(zip(stmt.outs, sub.end.values, strict=True))
                tail = substitute(rest, env)
                sub = T.Region(sub.stmts + tail.stmts, tail.end)
            converted = _to_yield(sub, results)
            if converted is None:
                return None
            inner.append(converted)
        new = replace(with_regions(stmt, inner), outs=outs)
        return T.Region((*region.stmts[:i], new), T.Yield(outs))
    if not isinstance(region.end, T.Return):
        return None
    return T.Region(region.stmts, T.Yield(region.end.values))
