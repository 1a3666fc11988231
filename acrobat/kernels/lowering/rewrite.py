"""Rewriting of expressions: shifts, changed strides, merged sums of contractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..specification.expr import (
    Apply,
    Contraction,
    Expr,
    Leaf,
    Load,
    LoadShared,
    Pool,
    Product,
    Reduction,
    Strided,
    operands_of,
    reachable,
)


def rebuild(pool: Pool, e: Expr, leaf: Callable[[Leaf | Reduction], Expr]) -> Expr:
    """`e` with every leaf replaced by `leaf(it)`; reductions are leaves too."""
    new: dict[Expr, Expr] = {}
    for n in reachable([e]):
        if isinstance(n, Apply):
            new[n] = pool.apply(n.fn, *(new[o] for o in n.operands))
        else:
            new[n] = leaf(n)
    return new[e]


def shift(pool: Pool, e: Expr, by: int) -> Expr:
    """`e` at column j + by. Contractions are shifted, too; reductions stay as they are."""
    if by == 0:
        return e

    def leaf(n: Leaf | Reduction) -> Expr:
        if isinstance(n, Load | LoadShared):
            return moved(pool, n, n.start + by * n.col_stride)
        if isinstance(n, Contraction):
            return pool.contraction(replace(t, col=t.col + by * t.col_stride) for t in n.terms)
        return n

    return rebuild(pool, e, leaf)


def down(pool: Pool, e: Expr, by: int) -> Expr:
    """`e`, which has no reductions, at row m + by."""
    if by == 0:
        return e

    def leaf(n: Leaf | Reduction) -> Expr:
        if isinstance(n, Load | LoadShared):
            return moved(pool, n, n.start + by * n.row_stride)
        if isinstance(n, Contraction):
            terms = (replace(t, offset=t.offset + by * t.row_stride) for t in n.terms)
            return pool.contraction(terms)
        return n

    return rebuild(pool, e, leaf)


def with_strides(pool: Pool, e: Expr, change: Callable[[int, int], tuple[int, int]]) -> Expr:
    """`e`, which has no contractions, with other row and column strides."""

    def leaf(n: Leaf | Reduction) -> Expr:
        if isinstance(n, Load | LoadShared):
            return restrided(pool, n, n.start, *change(n.row_stride, n.col_stride))
        return n

    return rebuild(pool, e, leaf)


def moved(pool: Pool, leaf: Strided, start: int) -> Strided:
    """`leaf` with another start."""
    return restrided(pool, leaf, start, leaf.row_stride, leaf.col_stride)


def restrided(pool: Pool, leaf: Strided, start: int, row_stride: int, col_stride: int) -> Strided:
    """`leaf` with another start and other strides."""
    if isinstance(leaf, Load):
        return pool.load(leaf.region, start, row_stride, col_stride)
    return pool.shared(leaf.weight, start, row_stride, col_stride)


def replaced(pool: Pool, e: Expr, old: Expr, new: Expr) -> Expr:
    """`e` with `old` replaced by `new`, inside reductions, too."""
    found: dict[Expr, Expr] = {old: new}
    for n in reachable([e]):
        if n not in found:
            found[n] = with_operands(pool, n, [found[o] for o in operands_of(n)])
    return found[e]


def with_operands(pool: Pool, e: Expr, operands: list[Expr]) -> Expr:
    """`e` over other operands."""
    if isinstance(e, Apply):
        return pool.apply(e.fn, *operands)
    if isinstance(e, Reduction):
        return pool.reduction(e.fn, e.width, *operands)
    return e


def merge_sums(pool: Pool, e: Expr) -> Expr:
    """x @ W + y @ U as one contraction with more terms, where nothing else reads the parts."""
    order = reachable([e])
    readers: dict[Expr, int] = {}
    for n in order:
        for o in operands_of(n):
            readers[o] = readers.get(o, 0) + 1
    new: dict[Expr, Expr] = {}
    for n in order:
        operands = operands_of(n)
        merged = None
        if isinstance(n, Apply) and n.fn == "add" and all(readers[o] == 1 for o in operands):
            merged = _merge_add(pool, *(new[o] for o in operands))
        new[n] = merged or with_operands(pool, n, [new[o] for o in operands])
    return new[e]


def _merge_add(pool: Pool, a: Expr, b: Expr) -> Expr | None:
    """a + b with their contractions merged; each is a contraction, or one plus something."""
    terms: list[Product] = []
    rest: list[Expr] = []
    for side in (a, b):
        if isinstance(side, Contraction):
            terms += side.terms
            continue
        if not (isinstance(side, Apply) and side.fn == "add"):
            return None
        products = [o for o in side.operands if isinstance(o, Contraction)]
        if len(products) != 1:
            return None
        terms += products[0].terms
        rest += [o for o in side.operands if not isinstance(o, Contraction)]
    merged: Expr = pool.contraction(terms)
    for r in rest:
        merged = pool.apply("add", merged, r)
    return merged
