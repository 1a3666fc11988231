"""Expressions over row m and column j, hash-consed: what a block computes, element by element.

    ("row", r, start, rs, cs)      row input r at start + m * rs + j * cs
    ("table", t, start, rs, cs)    table row t, likewise
    ("temp", k, start, rs, cs)     temporary k of the block
    ("vec", path, start, rs, cs)   shared array
    ("lit", value)
    ("acc", terms)                 a contraction; see `Product`
    ("rsum" | "rmax" | "rargmax", width, a)     over the columns [0, width) of row m
    (fn, a, ...)                   point-wise, operands by number

Equal expressions have equal numbers, so shared work is found by construction. Everything that
moves elements about (slices, transposes, broadcasts) is a change of strides in the leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

Node = tuple[Any, ...]
SOURCES = ("row", "table", "temp")
STRIDED = (*SOURCES, "vec")
REDUCTIONS = ("rsum", "rmax", "rargmax")
LEAVES = (*STRIDED, "lit", "acc")


@dataclass(frozen=True, slots=True)
class Product:
    """One term of a contraction: sum over k of x[m, k] * W[k, j]. x is the region `x` (kind,
    number) at offset + m * row_stride + k * k_stride. W is `weight`[row + k, col + j], or, if
    `matrix` (kind, number) is given, that region at col + k * row + j (`row` is its stride)."""

    x: tuple[str, int]
    offset: int
    k: int
    row_stride: int
    k_stride: int
    row: int
    col: int
    weight: str = ""
    matrix: tuple[str, int] | None = None


@dataclass(slots=True)
class Pool:
    """All expressions of one block."""

    nodes: list[Node] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)

    def add(self, *node: Any) -> int:
        """The number of the expression, new or known."""
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def operands(self, e: int) -> tuple[int, ...]:
        """The numbers of the operands of an expression; () for a leaf."""
        kind, *rest = self.nodes[e]
        if kind in LEAVES:
            return ()
        return (rest[1],) if kind in REDUCTIONS else tuple(rest)

    def rebuild(self, e: int, leaf: Callable[[int], int]) -> int:
        """`e` with every leaf replaced by `leaf(number)`; reductions are leaves too."""
        new: dict[int, int] = {}
        for n in self.reachable([e]):
            kind, *rest = self.nodes[n]
            if kind in LEAVES or kind in REDUCTIONS:
                new[n] = leaf(n)
            else:
                new[n] = self.add(kind, *(new[o] for o in rest))
        return new[e]

    def shift(self, e: int, by: int) -> int:
        """The expression at column j + by. Contractions move along; reductions stay as they are."""
        if by == 0:
            return e

        def leaf(n: int) -> int:
            kind, *rest = self.nodes[n]
            if kind in STRIDED:
                name, start, rs, cs = rest
                return self.add(kind, name, start + by * cs, rs, cs)
            if kind == "acc":
                return self.add("acc", tuple(replace(t, col=t.col + by) for t in rest[0]))
            return n

        return self.rebuild(e, leaf)

    def down(self, e: int, by: int) -> int:
        """The expression at row m + by; it has no reductions."""
        if by == 0:
            return e

        def leaf(n: int) -> int:
            kind, *rest = self.nodes[n]
            if kind in STRIDED:
                name, start, rs, cs = rest
                return self.add(kind, name, start + by * rs, rs, cs)
            if kind == "acc":
                terms = (replace(t, offset=t.offset + by * t.row_stride) for t in rest[0])
                return self.add("acc", tuple(terms))
            return n

        return self.rebuild(e, leaf)

    def strided(self, e: int, change: Callable[[int, int], tuple[int, int]]) -> int:
        """The expression with other row and column strides; it has no contractions."""

        def leaf(n: int) -> int:
            kind, *rest = self.nodes[n]
            if kind in STRIDED:
                name, start, rs, cs = rest
                return self.add(kind, name, start, *change(rs, cs))
            return n

        return self.rebuild(e, leaf)

    def reachable(self, roots: list[int]) -> list[int]:
        """`roots` and everything under them, operands first, each once."""
        order: list[int] = []
        seen: set[int] = set()
        work = [(r, False) for r in reversed(roots)]
        while work:
            e, ready = work.pop()
            if ready:
                order.append(e)
            elif e not in seen:
                seen.add(e)
                work.append((e, True))
                work.extend((o, False) for o in self.operands(e))
        return order

    def contractions(self, roots: list[int]) -> list[int]:
        """The contractions that `roots` read."""
        return [e for e in self.reachable(roots) if self.nodes[e][0] == "acc"]

    def reductions(self, roots: list[int]) -> list[int]:
        """The reductions that `roots` read."""
        return [e for e in self.reachable(roots) if self.nodes[e][0] in REDUCTIONS]

    def temps(self, e: int) -> set[int]:
        """The temporaries that `e` reads."""
        found: set[int] = set()
        for n in self.reachable([e]):
            kind, *rest = self.nodes[n]
            if kind == "temp":
                found.add(rest[0])
            elif kind == "acc":
                for t in rest[0]:
                    found |= {r[1] for r in (t.x, t.matrix) if r is not None and r[0] == "temp"}
        return found
