"""No kernel has more operands than the run-time's tables have room for.

An expression that reads too many regions of the node's own is stored in pieces: the part that can
still be computed by one kernel goes to a temporary, and what is left reads that. A sum of 200
vectors becomes four kernels, a contraction of a concatenation of 100 two.
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
    """The regions that a kernel of `e` finds through an offset per node: the block's inputs."""
    return [r for r in regions([e]) if r.kind != "temp"]


def within_operand_limit(placing: Placing, writes: list[Write]) -> list[Write]:
    """`writes` such that none has more than MAX_OPERANDS indexed operands."""
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
    """The expression of `write`, reading what is stored for `like` if it has the same shape."""
    same = (write.rows, write.width) == (like.rows, like.width)
    return replaced(placing.pool, write.expr, piece, stored) if same else write.expr


def _piece(placing: Placing, e: Expr) -> tuple[Expr, Expr]:
    """A part of `e` that is within the limit, as large as can be easily found, and `e` in a form
    that has it as a part."""
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
    """As many of the first terms as are within the limit, and the others."""
    read: set[Region] = set()
    for i, t in enumerate(terms):
        read |= {r for r in (t.x, t.matrix) if r is not None and r.kind != "temp"}
        if len(read) > MAX_OPERANDS:
            return terms[:i], terms[i:]
    raise AssertionError("the contraction is within the limit")
