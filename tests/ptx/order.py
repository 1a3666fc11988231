"""Which accesses to memory are ordered, and which race.

Two accesses of a word, one of which writes, must be ordered by synchronisation, or the outcome is
chance. `Epochs` knows CTA barriers: all that there is in shared memory, and in
global memory if the blocks of a launch may not wait for each other. `VectorClocks` also know what
blocks tell each other by releases and acquires (FastTrack: Flanagan and Freund, PLDI 2009, with a
clock per warp).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

_NOBODY = -1


class Shadow(Protocol):
    """What is known about the accesses of an array of words. Both methods note accesses of words
    `at` [n, threads] by warps `warp` [threads]; whether one of them races."""

    def read(self, at: np.ndarray, warp: np.ndarray) -> bool:
        """A read."""
        ...

    def write(self, at: np.ndarray, warp: np.ndarray) -> bool:
        """A write."""
        ...


class Epochs:
    """Accesses are ordered if a warp made both, or if a CTA barrier came between.
    `epoch`: how many of these each block has passed, kept by the caller. A reader is a warp, or
    behind these a whole block, or behind those everybody."""

    def __init__(self, words: int, warps: int, epoch: np.ndarray) -> None:
        self.epoch, self.warps, self.each = epoch, warps, warps // len(epoch)
        self.writer, self.written = np.full(words, _NOBODY, np.int32), np.zeros(words, np.int32)
        self.reader, self.read_at = np.full(words, _NOBODY, np.int32), np.zeros(words, np.int32)

    def _block(self, who: np.ndarray) -> np.ndarray:
        return np.where(who < self.warps, who // self.each, who - self.warps)

    def _races(self, who: np.ndarray, when: np.ndarray, warp: np.ndarray) -> np.ndarray:
        block = warp // self.each
        unordered = (self._block(who) != block) | (when == self.epoch[block])
        return np.asarray((who != _NOBODY) & (who != warp) & unordered)

    def read(self, at: np.ndarray, warp: np.ndarray) -> bool:
        """See `Shadow`."""
        warp = np.broadcast_to(warp, at.shape)
        block = warp // self.each
        found = self._races(self.writer[at], self.written[at], warp).any()
        before, when = self.reader[at], self.read_at[at]
        # Earlier reads that a CTA barrier has ordered are forgotten; others make readers many.
        kept = self._races(before, when, warp)
        elsewhere = kept & (self._block(before) != block)
        own = np.where(kept, self.warps + block, warp)
        self.reader[at] = np.where(elsewhere, self.warps + len(self.epoch), own)
        self.read_at[at] = self.epoch[block]
        lost = self.reader[at] != np.where(elsewhere, self.warps + len(self.epoch), own)
        if lost.any():  # several warps read the word in this very instruction
            same = self._block(self.reader[at]) == block
            many = np.where(same, self.warps + block, self.warps + len(self.epoch))
            self.reader[at[lost]] = many[lost]
            apart = lost & ~same
            self.reader[at[apart]] = self.warps + len(self.epoch)
        return bool(found)

    def write(self, at: np.ndarray, warp: np.ndarray) -> bool:
        """See `Shadow`."""
        warp = np.broadcast_to(warp, at.shape)
        found = self._races(self.writer[at], self.written[at], warp).any()
        found |= self._races(self.reader[at], self.read_at[at], warp).any()
        self.writer[at], self.written[at] = warp, self.epoch[warp // self.each]
        return bool(found)


class Clocks:
    """What every warp of a launch knows of every other: [warps, warps]. `each`: warps of a
    block."""

    def __init__(self, warps: int, each: int) -> None:
        self.known = np.eye(warps, dtype=np.int32)
        self.each = each
        self.places: dict[int, np.ndarray] = {}  # what a location of memory tells who acquires it

    def cta_barrier(self, block: int) -> None:
        """All warps of a block know what each of them knew."""
        own = slice(block * self.each, (block + 1) * self.each)
        self.known[own] = self.known[own].max(axis=0)
        numbers = np.arange(own.start, own.stop)
        self.known[numbers, numbers] += 1

    def release(self, warp: int, address: int) -> None:
        """Who acquires `address` from now on knows what `warp` knows."""
        told = self.places.get(address, np.zeros_like(self.known[warp]))
        self.places[address] = np.maximum(told, self.known[warp])
        self.known[warp, warp] += 1

    def acquire(self, warp: int, address: int) -> None:
        """The opposite."""
        if address in self.places:
            np.maximum(self.known[warp], self.places[address], out=self.known[warp])


class VectorClocks:
    """Accesses are ordered if the second's warp knows of the first."""

    def __init__(self, words: int, clocks: Clocks) -> None:
        self.clocks = clocks
        self.writer, self.written = np.zeros(words, np.int16), np.zeros(words, np.int32)
        self.reads = np.zeros((len(clocks.known), words), np.int32)  # 0: never

    def read(self, at: np.ndarray, warp: np.ndarray) -> bool:
        """See `Shadow`."""
        warp = np.broadcast_to(warp, at.shape)
        known = self.clocks.known
        self.reads[warp, at] = known[warp, warp]
        return bool((self.written[at] > known[warp, self.writer[at]]).any())

    def write(self, at: np.ndarray, warp: np.ndarray) -> bool:
        """See `Shadow`."""
        warp = np.broadcast_to(warp, at.shape)
        known = self.clocks.known
        found = (self.written[at] > known[warp, self.writer[at]]).any()
        for other in range(len(known)):
            found |= (self.reads[other, at] > known[warp, other]).any()
        self.writer[at], self.written[at] = warp, known[warp, warp]
        return bool(found)

    def was_written(self, at: np.ndarray) -> bool:
        """Whether one of the words was written in this launch."""
        return bool((self.written[at] > 0).any())
