"""Shared memory of thread blocks that run side by side, with their asynchronous copies.

What a copy will bring is NaN until the thread that asked for it has waited: reading or writing its
words before is a problem, whatever the values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .banks import passes
from .order import Epochs

POISON = np.uint32(0x7FC0DEAD)
WARP = 32

Problem = Callable[[str, str], None]


@dataclass(slots=True)
class Conflicts:
    """Of a launch, by instruction: passes of shared memory, and how many there would be without
    conflicts of banks."""

    passes: Counter[str] = field(default_factory=Counter)
    least: Counter[str] = field(default_factory=Counter)

    def add(self, lanes: np.ndarray, address: np.ndarray, size: int, text: str) -> None:
        """One instruction of a team, which all threads of a warp take at once."""
        there, least = passes(lanes, address, size)
        self.passes[text] += there
        self.least[text] += least


class Fault(Exception):
    """What would end a kernel on a GPU: an address that is nobody's, or not aligned."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """What threads `lanes`, each in its group number `group`, copy: `words` to the words `at`, both
    [words, threads]."""

    lanes: np.ndarray
    group: np.ndarray
    at: np.ndarray
    words: np.ndarray
    text: str

    def part(self, which: np.ndarray) -> _Copy:
        return _Copy(
            self.lanes[which], self.group[which], self.at[:, which], self.words[:, which], self.text
        )


class SharedMemory:
    """`size` bytes for each of `blocks` blocks of `threads` threads. Races are looked for by the
    word, or by the byte if there are accesses of less (`fine`). `conflicts` counts, if it is
    given, the passes of every instruction (`banks.py`) and the fewest that there could be."""

    def __init__(
        self, size: int, blocks: int, threads: int, problem: Problem, fine: bool = False,
        conflicts: Conflicts | None = None,
    ) -> None:  # fmt: skip
        self.conflicts = conflicts
        self.each, self.threads, self.problem = -(-size // 16) * 4, threads, problem
        self.words = np.full(self.each * blocks, POISON, np.uint32)
        self.units = {w: self.words.view(f"u{w}") for w in (1, 2, 4)}
        self.pending = np.zeros(self.words.size, bool)
        self.epoch = np.zeros(blocks, np.int32)
        self.grain = 1 if fine else 4
        marks = 4 * self.words.size // self.grain
        self.shadow = Epochs(marks, blocks * threads // WARP, self.epoch)
        self.group = np.zeros(blocks * threads, np.int64)
        self.copies: list[_Copy] = []

    def cta_barrier(self, block: int) -> None:
        """All threads of a block have met."""
        self.epoch[block] += 1

    def aligned(self, address: np.ndarray, size: int, text: str) -> None:
        """Fault unless addresses are multiples of `size`."""
        if (address % size != 0).any():
            raise Fault(f"a shared address is not a multiple of {size}: {text}")

    def _places(
        self, lanes: np.ndarray, address: np.ndarray, n: int, text: str, width: int = 4
    ) -> np.ndarray:
        self.aligned(address, width * n, text)
        if address.size and (address.min() < 0 or address.max() + width * n > 4 * self.each):
            raise Fault(f"a shared address is outside of {4 * self.each} bytes: {text}")
        if self.conflicts is not None:
            self.conflicts.add(lanes, address, width * n, text)
        first = (address + lanes // self.threads * self.each * 4) // width
        return np.asarray(first + np.arange(n)[:, None])

    def _marks(self, at: np.ndarray, width: int) -> np.ndarray:
        """What the shadow knows of units of `width` bytes: [marks, threads]."""
        parts = width // self.grain
        if parts == 1:
            return at
        return np.concatenate([at * parts + n for n in range(parts)])

    def load(
        self, lanes: np.ndarray, address: np.ndarray, n: int, text: str, width: int = 4
    ) -> np.ndarray:
        """[n, threads] units of `width` bytes."""
        at = self._places(lanes, address, n, text, width)
        if self.pending[at * width // 4].any():
            self.problem("a read of what is still being copied", text)
        if self.shadow.read(self._marks(at, width), lanes // WARP):
            self.problem("a read beside another warp's write", text)
        return np.asarray(self.units[width][at])

    def store(self, lanes: np.ndarray, address: np.ndarray, values: np.ndarray, text: str) -> None:
        """The opposite."""
        width = values.dtype.itemsize
        at = self._places(lanes, address, len(values), text, width)
        if self.pending[at * width // 4].any():
            self.problem("a write to what is still being copied", text)
        if self.shadow.write(self._marks(at, width), lanes // WARP):
            self.problem("a write beside another warp's access", text)
        self.units[width][at] = values
        if (self.units[width][at] != values).any():
            self.problem("two threads write different values to one word", text)

    def copy(self, lanes: np.ndarray, address: np.ndarray, words: np.ndarray, text: str) -> None:
        """A copy of `words` begins."""
        at = self._places(lanes, address, len(words), text)
        if self.shadow.write(self._marks(at, 4), lanes // WARP):
            self.problem("a copy beside another warp's access", text)
        if self.pending[at].any():
            self.problem("two copies to one word", text)
        self.words[at], self.pending[at] = POISON, True
        self.copies.append(_Copy(lanes, self.group[lanes], at, words, text))

    def commit(self, lanes: np.ndarray) -> None:
        """Threads close their groups."""
        self.group[lanes] += 1

    def wait(self, lanes: np.ndarray, pending: int) -> None:
        """What threads asked for is there, but for their last `pending` groups; -1: all of it."""
        waits = np.zeros(self.group.size, bool)
        waits[lanes] = True
        left = []
        for copy in self.copies:
            done = waits[copy.lanes] & (copy.group < self.group[copy.lanes] - pending)
            if not done.any():
                left.append(copy)
                continue
            there = copy if done.all() else copy.part(done)
            self.pending[there.at] = False
            if self.shadow.write(self._marks(there.at, 4), there.lanes // WARP):
                self.problem("a copy beside another warp's access", there.text)
            self.words[there.at] = there.words
            if not done.all():
                left.append(copy.part(~done))
        self.copies = left

    def finish(self) -> None:
        """The blocks have ended."""
        for copy in self.copies:
            self.problem("a copy that nobody waited for", copy.text)
