"""Walking over the statements of the batched IR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from . import batched as B


def regions(stmt: B.Stmt) -> tuple[B.Region, ...]:
    """The inner regions of `stmt`, in order."""
    match stmt:
        case B.If(_, _, then, orelse, _):
            return then, orelse
        case B.Match(_, _, arms, _):
            return tuple(a.region for a in arms)
        case B.For() | B.Map():
            return (stmt.body,)
        case B.While():
            return stmt.cond, stmt.body
        case _:
            return ()


def with_regions(stmt: B.Stmt, inner: Sequence[B.Region]) -> B.Stmt:
    """`stmt` with other inner regions."""
    match stmt:
        case B.If():
            return replace(stmt, then=inner[0], orelse=inner[1])
        case B.Match():
            arms = tuple(replace(a, region=r) for a, r in zip(stmt.arms, inner, strict=True))
            return replace(stmt, arms=arms)
        case B.For() | B.Map():
            return replace(stmt, body=inner[0])
        case B.While():
            return replace(stmt, cond=inner[0], body=inner[1])
        case _:
            return stmt


def statements(region: B.Region) -> Iterator[B.Stmt]:
    """Every statement of `region`, nested ones included, outer before inner."""
    for stmt in region.stmts:
        yield stmt
        for sub in regions(stmt):
            yield from statements(sub)
