"""Expressions over one column, hash-consed: what a block computes, seen column by column.

    ("row", r, start)          row input r at start + j
    ("table", t, start)        table row t at start + j
    ("temp", k, start)         temporary k of the record at start + j
    ("vec", path, start)       shared vector at start + j
    ("lit", value)
    ("acc", terms)             a contraction; terms: (source, offset, k, weight, row, col)
    (fn, a) or (fn, a, b)      point-wise, operands by number

Equal expressions have equal numbers, so shared work is found by construction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Node = tuple[Any, ...]
SOURCES = ("row", "table", "temp")
LEAVES = (*SOURCES, "vec", "lit", "acc")


@dataclass(slots=True)
class Pool:
    """All expressions of one block."""

    nodes: list[Node] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)
    shifted: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, *node: Any) -> int:
        """The number of the expression, new or known."""
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def operands(self, e: int) -> tuple[int, ...]:
        """The numbers of the operands of a point-wise expression; () for a leaf."""
        kind, *rest = self.nodes[e]
        return () if kind in LEAVES else tuple(rest)

    def shift(self, e: int, by: int) -> int:
        """The expression at column j + by."""
        if by == 0:
            return e
        if (e, by) not in self.shifted:
            kind, *rest = self.nodes[e]
            if kind in (*SOURCES, "vec"):
                new = self.add(kind, rest[0], rest[1] + by)
            elif kind == "lit":
                new = e
            elif kind == "acc":
                new = self.add("acc", tuple((*t[:5], t[5] + by) for t in rest[0]))
            else:
                new = self.add(kind, *(self.shift(o, by) for o in rest))
            self.shifted[e, by] = new
        return self.shifted[e, by]

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
