"""Limit the operands of a kernel to what the run-time's tables have room for.

An expression that reads too many per-node regions is split: a part that one kernel can compute is
stored in a temporary, and the rest reads it. A sum of 200 vectors becomes four kernels, a
contraction of a concatenation of 100 vectors two.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.types import ALIGN
from ...limits import MAX_OPERANDS
from ..specification.expr import (
    Contraction,
    Expr,
    Product,
    Region,
    operands_of,
    own_regions,
    reachable,
    regions,
)
from .placing import Placing
from .rewrite import replaced
from .values import Write


def indexed_regions(e: Expr) -> list[Region]:
    """The regions that a kernel of `e` reads through an offset per node: the block's inputs."""
    return [r for r in regions([e]) if r.kind != "temp"]


def within_operand_limit(placing: Placing, writes: list[Write]) -> list[Write]:
    """`writes`, split where necessary so that none has more than MAX_OPERANDS indexed operands."""
    done: list[Write] = []
    work = list(reversed(writes))
    while work:
        w = work.pop()
        if len(indexed_regions(w.expr)) <= MAX_OPERANDS:
            done.append(w)
            continue
        piece, rest = _piece(placing, w.expr)
        temp = placing.new_temp(w.rows, w.width)
        stride = temp.stride if w.rows > 1 else 0
        padded = w.rows == 1 or w.width % ALIGN == 0
        done.append(Write(temp.number, w.rows, w.width, piece, 0, stride, padded))
        stored = placing.load(temp)
        # Other writes may need the same piece.
        work = [replace(x, expr=_reading(placing, x, w, piece, stored)) for x in work]
        work.append(replace(w, expr=replaced(placing.pool, rest, piece, stored)))
    return done


def _reading(placing: Placing, write: Write, like: Write, piece: Expr, stored: Expr) -> Expr:
    """The expression of `write`; it reads `piece`, stored for `like`, if both have one shape."""
    same = (write.rows, write.width) == (like.rows, like.width)
    return replaced(placing.pool, write.expr, piece, stored) if same else write.expr


def _piece(placing: Placing, e: Expr) -> tuple[Expr, Expr]:
    """A part of `e` within the limit, as large as can easily be found, and `e` in a form that
    contains this part."""
    read: dict[Expr, set[Region]] = {}
    for n in reachable([e]):
        operands = operands_of(n)
        read[n] = {r for r in own_regions(n) if r.kind != "temp"}
        for o in operands:
            read[n] |= read[o]
        if len(read[n]) <= MAX_OPERANDS:
            continue
        if isinstance(n, Contraction):
            first, rest = _halves(n.terms)
            pool = placing.pool
            piece = pool.contraction(first)
            return piece, replaced(pool, e, n, pool.apply("add", piece, pool.contraction(rest)))
        return max(operands, key=lambda o: len(read[o])), e
    raise AssertionError("the expression is within the limit")


def _halves(terms: tuple[Product, ...]) -> tuple[tuple[Product, ...], tuple[Product, ...]]:
    """The longest prefix of `terms` that is within the limit, and the remaining terms."""
    read: set[Region] = set()
    for i, t in enumerate(terms):
        read |= {r for r in (t.x, t.matrix) if r is not None and r.kind != "temp"}
        if len(read) > MAX_OPERANDS:
            return terms[:i], terms[i:]
    raise AssertionError("the contraction is within the limit")
