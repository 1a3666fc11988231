"""Expressions over row m and column j: what a block computes, element by element.

    Load(region, start, rs, cs)          region[start + m * rs + j * cs]
    LoadShared(weight, start, rs, cs)    weight[start + m * rs + j * cs], the same for all nodes
    Number(value)
    Contraction(products)                the sum of the products, each a sum over k
    Reduction(fn, width, operand)        over the columns [0, width) of row m
    Apply(fn, operands)                  a point-wise operation, by name

A `Pool` creates and hash-conses expressions: equal ones are the same object, so that common
subexpressions are found by construction and `is` is equality. Operations that only move elements
(slices, transposes, broadcasts) change the strides in the leaves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from .spec import ReductionName


@dataclass(frozen=True, slots=True)
class Region:
    """Memory that differs from node to node. `gathered` and `gathered_row`: the block's input
    `number` of that kind, in the arena or in a weight; `temp`: temporary `number`."""

    kind: Literal["gathered", "gathered_row", "temp"]
    number: int

    def __str__(self) -> str:
        return f"{self.kind}{self.number}"


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """An element of a per-node region."""

    region: Region
    start: int
    row_stride: int
    col_stride: int


@dataclass(frozen=True, slots=True, eq=False)
class LoadShared:
    """An element of an array that all nodes share."""

    weight: str
    start: int
    row_stride: int
    col_stride: int


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """The same number everywhere."""

    value: float


@dataclass(frozen=True, slots=True)
class Product:
    """One term of a contraction: the sum over k in [0, `k`) of x[m, k] * W[k, j].

    x[m, k] is the element of region `x` at offset + m * row_stride + k * k_stride. W[k, j] is
    `weight`[row + k, col + j] (`turned`: [col + j, row + k]), or, if `matrix` is given, the element
    of that region at col + k * row + j * col_stride: `row` is then a stride.
    """

    x: Region
    offset: int
    k: int
    row_stride: int
    k_stride: int
    row: int
    col: int
    weight: str = ""
    matrix: Region | None = None
    col_stride: int = 1
    turned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Contraction:
    """The sum of all terms, of which there is at least one."""

    terms: tuple[Product, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """Sum, maximum or position of the first maximum of `operand` over columns [0, `width`)."""

    fn: ReductionName
    width: int
    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """A point-wise operation."""

    fn: str
    operands: tuple[Expr, ...]


Strided: TypeAlias = Load | LoadShared
Leaf: TypeAlias = Load | LoadShared | Number | Contraction
Expr: TypeAlias = Load | LoadShared | Number | Contraction | Reduction | Apply


@dataclass(slots=True)
class Pool:
    """The expressions of one block, each made once."""

    made: dict[Hashable, Expr] = field(default_factory=dict)

    def load(self, region: Region, start: int, row_stride: int, col_stride: int) -> Load:
        """A `Load`."""
        return cast(Load, self._made(Load, region, start, row_stride, col_stride))

    def shared(self, weight: str, start: int, row_stride: int, col_stride: int) -> LoadShared:
        """A `LoadShared`."""
        return cast(LoadShared, self._made(LoadShared, weight, start, row_stride, col_stride))

    def number(self, value: float) -> Number:
        """A `Number`."""
        # The key is its text: 0.0 and -0.0 are equal, and NaN is not equal to itself.
        known = self.made.setdefault((Number, repr(value)), Number(value))
        return cast(Number, known)

    def contraction(self, terms: Iterable[Product]) -> Contraction:
        """A `Contraction`."""
        return cast(Contraction, self._made(Contraction, tuple(terms)))

    def reduction(self, fn: ReductionName, width: int, operand: Expr) -> Reduction:
        """A `Reduction`."""
        return cast(Reduction, self._made(Reduction, fn, width, operand))

    def apply(self, fn: str, *operands: Expr) -> Apply:
        """An `Apply`."""
        return cast(Apply, self._made(Apply, fn, operands))

    def _made(self, node: type[Any], *fields: Hashable) -> Expr:
        # Operands are compared by identity, which is equality here: a key is small, however large
        # the expression.
        key = (node, *fields)
        known = self.made.get(key)
        if known is None:
            known = self.made[key] = node(*fields)
        return known


def operands_of(e: Expr) -> tuple[Expr, ...]:
    """The operands of an expression; () for a leaf."""
    if isinstance(e, Apply):
        return e.operands
    return (e.operand,) if isinstance(e, Reduction) else ()


def reachable(roots: Iterable[Expr]) -> list[Expr]:
    """`roots` and all their subexpressions, operands first, each once."""
    order: list[Expr] = []
    seen: set[Expr] = set()
    work = [(r, False) for r in reversed(list(roots))]
    while work:
        e, ready = work.pop()
        if ready:
            order.append(e)
        elif e not in seen:
            seen.add(e)
            work.append((e, True))
            for o in operands_of(e):
                work.append((o, False))
    return order


def exceeds(roots: Iterable[Expr], most: int) -> bool:
    """Whether more than `most` expressions are reachable from `roots`; visits at most one more."""
    seen: set[Expr] = set()
    work = list(roots)
    while work and len(seen) <= most:
        e = work.pop()
        if e not in seen:
            seen.add(e)
            work.extend(operands_of(e))
    return len(seen) > most


def contractions(roots: Iterable[Expr]) -> list[Contraction]:
    """The contractions that `roots` read."""
    return [e for e in reachable(roots) if isinstance(e, Contraction)]


def reductions(roots: Iterable[Expr]) -> list[Reduction]:
    """The reductions that `roots` read."""
    return [e for e in reachable(roots) if isinstance(e, Reduction)]


def regions(roots: Iterable[Expr]) -> list[Region]:
    """The per-node regions that `roots` read, each once, in order."""
    found: dict[Region, None] = {}
    for e in reachable(roots):
        found.update(dict.fromkeys(own_regions(e)))
    return list(found)


def own_regions(e: Expr) -> list[Region]:
    """The regions that `e` itself reads, without those that its operands read."""
    if isinstance(e, Load):
        return [e.region]
    if isinstance(e, Contraction):
        return [r for t in e.terms for r in (t.x, t.matrix) if r is not None]
    return []


def temps(e: Expr) -> set[int]:
    """The numbers of the temporaries that `e` reads."""
    return {r.number for r in regions([e]) if r.kind == "temp"}
