"""What the dataflow graph consists of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Handle:
    """A tensor that will be computed: `offset` floats into the record of `node`; a negative node
    is a place in the arena itself."""

    node: int
    offset: int

    def part(self, floats: int) -> Handle:
        """The tensor that begins `floats` further on."""
        return Handle(self.node, self.offset + floats)


@dataclass(frozen=True, slots=True)
class Node:
    """One run of a static block. `indices` are offsets of gathered rows in floats."""

    block: int
    phase: int
    depth: int
    operands: tuple[Handle, ...]
    indices: tuple[int, ...]
