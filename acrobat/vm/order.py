"""A block order that lookahead has found, replayed for later mini-batches:
runtime/include/acrobat/schedule/order.h reimplemented in Python; the idea is explained there."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from .node import Node

_MOST_ENTRIES = 1 << 18


@dataclass(slots=True)
class Order:
    """The order in which the `blocks` of a program with `n_blocks` blocks run."""

    blocks: Sequence[int]
    n_blocks: int
    turns: dict[int, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.turns = defaultdict(list)
        for at, block in enumerate(self.blocks):
            self.turns[block].append(at)

    @property
    def size(self) -> int:
        """The number of batches that the order was found with."""
        return len(self.blocks)

    def fits(self) -> bool:
        """Whether the order is small enough to be kept."""
        return (self.size + 1) * self.n_blocks <= _MOST_ENTRIES

    def next(self, block: int, start: int) -> int:
        """Return the first position from `start` on at which `block` runs. Past the end of the
        order all blocks take turns, one position each."""
        mine = self.turns.get(block, [])
        at = bisect_left(mine, start)
        if at < len(mine):
            return mine[at]
        turn, within = divmod(max(start - self.size, 0), self.n_blocks)
        return self.size + (turn + (within > block)) * self.n_blocks + block

    def places(self, nodes: Sequence[Node], taken: Sequence[int]) -> list[tuple[int, int]]:
        """Return phase 0 and the position of its batch for every node of `taken` (node numbers)."""
        position: dict[int, int] = {}
        for i in taken:
            used = (h.node for h in nodes[i].operands)
            start = 1 + max((position[o] for o in used if o in position), default=-1)
            position[i] = self.next(nodes[i].block, start)
        return [(0, position[i]) for i in taken]
