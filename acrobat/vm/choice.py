"""Which schedule mini-batches get if that is left to the program: runtime/include/acrobat/schedule/
choice.h once more, with its figures, so that both make the same batches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

# With fewer batches there is nothing to gain.
FEW: Final = 6

_BATCH_NS, _WORK_PER_NS = 500, 100
_LOOK_NS, _NODE_NS = 40, 100
_PATIENCE, _PAUSE = 3, 63


@dataclass(slots=True)
class Compared:
    """Nodes, and their batches by either schedule."""

    nodes: int = 0
    work: int = 0
    inline_depth: int = 0
    lookahead: int = 0

    def add(self, other: Compared) -> None:
        """What `other` has, too."""
        self.nodes += other.nodes
        self.work += other.work
        self.inline_depth += other.inline_depth
        self.lookahead += other.lookahead

    def pays(self) -> bool:
        """Whether lookahead has far fewer batches, which save what it takes."""
        saved = self.inline_depth - self.lookahead
        total = self.nodes * _NODE_NS + self.work // _WORK_PER_NS
        return (
            5 * saved >= self.inline_depth
            and self.nodes * _LOOK_NS <= saved * _BATCH_NS + total // 16
        )


@dataclass(slots=True)
class Choice:
    """What is known from earlier mini-batches, by the bits of their numbers of instances: how many
    may go by before the next look; below zero, how often a look may fail."""

    wait: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def looks(self, instances: int) -> bool:
        """Whether to look ahead at a mini-batch of so many instances."""
        size = instances.bit_length()
        if self.wait[size] <= 0:
            return True
        self.wait[size] -= 1
        return False

    def note(self, instances: int, pays: bool) -> None:
        """What a look has found."""
        size = instances.bit_length()
        if pays:
            self.wait[size] = -_PATIENCE
        else:
            self.wait[size] = self.wait[size] + 1 if self.wait[size] < 0 else _PAUSE
