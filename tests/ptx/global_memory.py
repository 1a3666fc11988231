"""Global memory as the programs of a launch see it.

In an ordinary launch blocks may not wait for each other: `Memory` has one view, and whatever two
blocks do to one word is a race if one of them writes.

In a cooperative launch they may, and `WeakMemory` is as bad to them as the memory model allows:
every program has a cache of its own, whose sectors of 32 bytes stay as they were first read until
one of its threads acquires, and a buffer of stores, which others see when the program releases (of
other warps only what came before a CTA barrier), or parts of it at any earlier time and in any
order.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from .order import Clocks, Epochs, Shadow, VectorClocks
from .shared_memory import Fault, Problem

_SECTOR = 8  # words


@dataclass(slots=True)
class Region:
    """Words from an address on, and what is known of their accesses."""

    begin: int
    words: np.ndarray
    shadow: Shadow

    @property
    def end(self) -> int:
        """Behind the last byte."""
        return self.begin + 4 * self.words.size


Find = Callable[[int], tuple[int, np.ndarray] | None]


class Memory:
    """The memory of one launch. `find(address)`: where the array of words begins that it lies in,
    and the array; nothing if there is none. `warps`: of the launch. `late`: where arrays begin that
    are not to be touched by a thread before it has waited for the kernel before."""

    def __init__(
        self, find: Find, problem: Problem, blocks: int, warps: int, late: Collection[int] = ()
    ) -> None:
        self.find, self.problem, self.late = find, problem, late
        self.blocks, self.warps = blocks, warps
        self.epoch = np.zeros(blocks, np.int32)
        self.begins: list[int] = []
        self.regions: list[Region] = []

    def _shadow(self, words: int) -> Shadow:
        return Epochs(words, self.warps, self.epoch)

    def region(self, address: int) -> Region:
        """Where an address lies."""
        at = bisect.bisect_right(self.begins, address) - 1
        if at >= 0 and address < self.regions[at].end:
            return self.regions[at]
        found = self.find(address)
        if found is None:
            raise Fault(f"the global address {address:#x} is nobody's")
        begin, words = found
        region = Region(begin, words, self._shadow(words.size))
        at = bisect.bisect_right(self.begins, begin)
        self.begins.insert(at, begin)
        self.regions.insert(at, region)
        return region

    def cta_barrier(self, block: int) -> None:
        """All threads of a block have met."""
        self.epoch[block] += 1

    def _parts(self, address: np.ndarray, n: int, text: str) -> list[tuple[Region, Any, Any]]:
        """Regions, which of the threads are there, and their words [n, threads]."""
        if (address % (4 * n) != 0).any():
            raise Fault(f"a global address is not a multiple of {4 * n}: {text}")
        found: list[tuple[Region, Any, Any]] = []
        left = np.arange(address.size)
        while left.size:
            region = self.region(int(address[left[0]]))
            at = address[left]
            inside = (at >= region.begin) & (at + 4 * n <= region.end)
            if not inside[0]:
                raise Fault(f"the global address {int(at[0]):#x} leaves its memory: {text}")
            first = (at[inside] - region.begin) // 4
            found.append((region, left[inside], first + np.arange(n)[:, None]))
            left = left[~inside]
        return found

    def load(
        self, team: Any, lanes: np.ndarray, address: np.ndarray, n: int, how: str, text: str
    ) -> np.ndarray:
        """[n, threads] words. `how`: weak, nc, acquire or relaxed."""
        out = np.empty((n, lanes.size), np.uint32)
        for region, which, at in self._parts(address, n, text):
            warp = team.warp[lanes[which]]
            self._not_late(region, team.waited[lanes[which]], text)
            if how in ("weak", "nc") and region.shadow.read(at, warp):
                self.problem("a read that no synchronisation orders after a write", text)
            out[:, which] = self._words(region, at, int(team.block[lanes[0]]), how, text)
        return out

    def store(
        self, team: Any, lanes: np.ndarray, address: np.ndarray, words: np.ndarray, text: str
    ) -> None:
        """The opposite."""
        for region, which, at in self._parts(address, len(words), text):
            warp = team.warp[lanes[which]]
            self._not_late(region, team.waited[lanes[which]], text)
            if region.shadow.write(at, warp):
                self.problem("a write that no synchronisation orders after an access", text)
            self._keep(region, at, words[:, which], warp, int(team.block[lanes[0]]), text)

    def _not_late(self, region: Region, waited: np.ndarray, text: str) -> None:
        if region.begin in self.late and not waited.all():
            self.problem("an access before the kernel before has ended", text)

    def _words(self, region: Region, at: Any, block: int, how: str, text: str) -> np.ndarray:
        return np.asarray(region.words[at])

    def _keep(
        self, region: Region, at: Any, words: np.ndarray, warp: np.ndarray, block: int, text: str
    ) -> None:
        region.words[at] = words
        if (region.words[at] != words).any():
            self.problem("two threads write different values to one word", text)

    def add(self, team: Any, lane: int, address: int, value: int, order: str) -> int:
        """An atomic addition to 64 bits: what was there."""
        region = self.region(address)
        if address % 8 != 0 or address + 8 > region.end:
            raise Fault(f"an atomic at the address {address:#x}")
        first = (address - region.begin) // 4
        word = region.words[first : first + 2].view(np.uint64)
        before = int(word[0])
        word[0] = (before + value) & 0xFFFFFFFFFFFFFFFF
        return before

    def drift(self, rng: np.random.Generator) -> None:
        """Something becomes visible that need not yet."""

    def finish(self, block: int) -> None:
        """A block has ended: others see all that it wrote."""


@dataclass(slots=True)
class _View:
    """What a program sees of a region: sectors that it holds, and its stores that others do not
    see yet."""

    copy: np.ndarray
    held: np.ndarray
    stored: np.ndarray
    value: np.ndarray


@dataclass(frozen=True, slots=True)
class _Stores:
    """Stores of one instruction, by which warps, before which CTA barrier."""

    region: Region
    at: np.ndarray
    warp: np.ndarray
    epoch: int


class WeakMemory(Memory):
    """See the module."""

    def __init__(self, find: Find, problem: Problem, blocks: int, warps: int) -> None:
        super().__init__(find, problem, blocks, warps)
        self.clocks = Clocks(warps, warps // blocks)
        self.views: list[dict[int, _View]] = [{} for _ in range(blocks)]
        self.buffers: list[list[_Stores]] = [[] for _ in range(blocks)]

    def _shadow(self, words: int) -> Shadow:
        return VectorClocks(words, self.clocks)

    def cta_barrier(self, block: int) -> None:
        """See `Memory`."""
        super().cta_barrier(block)
        self.clocks.cta_barrier(block)

    def _view(self, block: int, region: Region) -> _View:
        views = self.views[block]
        if region.begin not in views:
            n = region.words.size
            sectors = np.zeros(-(-n // _SECTOR), bool)
            views[region.begin] = _View(
                np.empty(n, np.uint32), sectors, np.zeros(n, bool), np.empty(n, np.uint32)
            )
        return views[region.begin]

    def _words(self, region: Region, at: Any, block: int, how: str, text: str) -> np.ndarray:
        view = self._view(block, region)
        if how in ("acquire", "relaxed"):
            return np.asarray(np.where(view.stored[at], view.value[at], region.words[at]))
        shadow = region.shadow
        if how == "nc" and isinstance(shadow, VectorClocks) and shadow.was_written(at):
            self.problem("a read through the read-only cache of what the launch writes", text)
        sectors = at // _SECTOR
        missing = sectors[~view.held[sectors]]
        if missing.size:
            new = (missing[:, None] * _SECTOR + np.arange(_SECTOR)).ravel()
            new = new[new < region.words.size]
            view.copy[new] = np.where(view.stored[new], view.value[new], region.words[new])
            view.held[missing] = True
        return np.asarray(view.copy[at])

    def _keep(
        self, region: Region, at: Any, words: np.ndarray, warp: np.ndarray, block: int, text: str
    ) -> None:
        view = self._view(block, region)
        view.value[at], view.stored[at], view.copy[at] = words, True, words
        if (view.value[at] != words).any():
            self.problem("two threads write different values to one word", text)
        epoch = int(self.epoch[block])
        self.buffers[block].append(
            _Stores(region, at.ravel(), np.broadcast_to(warp, at.shape).ravel(), epoch)
        )

    def load(
        self, team: Any, lanes: np.ndarray, address: np.ndarray, n: int, how: str, text: str
    ) -> np.ndarray:
        """See `Memory`."""
        out = super().load(team, lanes, address, n, how, text)
        if how == "acquire":
            for lane, at in zip(lanes.tolist(), address.tolist(), strict=True):
                self._acquire(int(team.block[lane]), int(team.warp[lane]), at)
        return out

    def add(self, team: Any, lane: int, address: int, value: int, order: str) -> int:
        """See `Memory`."""
        block, warp = int(team.block[lane]), int(team.warp[lane])
        if order in ("release", "acq_rel"):
            self._release(block, warp, address)
        before = super().add(team, lane, address, value, order)
        if order in ("acquire", "acq_rel"):
            self._acquire(block, warp, address)
        return before

    def _acquire(self, block: int, warp: int, address: int) -> None:
        self.clocks.acquire(warp, address)
        for view in self.views[block].values():
            view.held[:] = False

    def _release(self, block: int, warp: int, address: int) -> None:
        self.clocks.release(warp, address)
        now = int(self.epoch[block])
        self._drain(block, lambda s: (s.warp == warp) | np.full(s.at.size, s.epoch < now))

    def _drain(self, block: int, which: Callable[[_Stores], np.ndarray]) -> None:
        left = []
        for stores in self.buffers[block]:
            seen = which(stores)
            view, at = self._view(block, stores.region), stores.at[seen]
            at = at[view.stored[at]]
            stores.region.words[at], view.stored[at] = view.value[at], False
            if not seen.all():
                rest = stores.at[~seen]
                left.append(_Stores(stores.region, rest, stores.warp[~seen], stores.epoch))
        self.buffers[block] = left

    def drift(self, rng: np.random.Generator) -> None:
        """See `Memory`."""
        block = int(rng.integers(self.blocks))
        share = rng.random()
        self._drain(block, lambda s: np.asarray(rng.random(s.at.size) < share))

    def finish(self, block: int) -> None:
        """See `Memory`."""
        self._drain(block, lambda s: np.ones(s.at.size, bool))
