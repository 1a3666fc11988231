"""The elements of the dataflow graph."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Handle:
    """A reference to a tensor before it exists: `offset` floats into the record of `node`, or, if
    `node` is negative, into the arena itself."""

    node: int
    offset: int

    def part(self, floats: int) -> Handle:
        """Return the tensor that begins `floats` floats further on."""
        return Handle(self.node, self.offset + floats)


@dataclass(frozen=True, slots=True)
class Node:
    """One execution of a static block. `indices` are the offsets of gathered rows, in floats."""

    block: int
    phase: int
    depth: int
    operands: tuple[Handle, ...]
    indices: tuple[int, ...]
