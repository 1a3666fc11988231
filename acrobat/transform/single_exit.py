"""Turn early returns into yields: afterwards a function returns only at the end of its body.

`if c: return a` followed by `rest` becomes `r = if c: yield a else: rest; yield ...` and
`return r`. The rest moves into the one branch that falls through; where several branches fall
through and others return, the function is left as it is (the rest would be copied).
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import typed as T
from ..ir.rewrite import substitute
from ..ir.types import Type


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
        if isinstance(stmt, T.Let) or not any(_returns(r) for r in _inner(stmt)):
            continue
        rest = T.Region(region.stmts[i + 1 :], region.end)
        falling = [r for r in _inner(stmt) if isinstance(r.end, T.Yield)]
        if len(falling) > 1:
            return None
        outs = tuple(T.Var(f"result_{n}", t) for n, t in enumerate(results))
        inner: list[T.Region] = []
        for sub in _inner(stmt):
            if isinstance(sub.end, T.Yield):
                env: dict[T.Var, T.Atom] = dict(zip(stmt.outs, sub.end.values, strict=True))
                tail = substitute(rest, env)
                sub = T.Region(sub.stmts + tail.stmts, tail.end)
            converted = _to_yield(sub, results)
            if converted is None:
                return None
            inner.append(converted)
        new = _with_inner(stmt, outs, inner)
        return T.Region((*region.stmts[:i], new), T.Yield(outs))
    if not isinstance(region.end, T.Return):
        return None
    return T.Region(region.stmts, T.Yield(region.end.values))


def _inner(stmt: T.Stmt) -> tuple[T.Region, ...]:
    match stmt:
        case T.If(_, _, then, orelse, _):
            return then, orelse
        case T.Match(_, _, arms, _):
            return tuple(a.region for a in arms)
        case T.Let():
            return ()


def _with_inner(stmt: T.Stmt, outs: tuple[T.Var, ...], inner: list[T.Region]) -> T.Stmt:
    match stmt:
        case T.If():
            return replace(stmt, outs=outs, then=inner[0], orelse=inner[1])
        case T.Match():
            arms = tuple(replace(a, region=r) for a, r in zip(stmt.arms, inner, strict=True))
            return replace(stmt, outs=outs, arms=arms)
        case T.Let():
            raise AssertionError("a let has no inner region")


def _returns(region: T.Region) -> bool:
    """Whether some path through `region` leaves the function."""
    if not isinstance(region.end, T.Yield):
        return True
    return any(_returns(r) for s in region.stmts for r in _inner(s))
