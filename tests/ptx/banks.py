"""Conflicts of shared memory's banks: in how many passes it serves the threads of a warp."""

from __future__ import annotations

import numpy as np

WARP, BANKS = 32, 32


def passes(lanes: np.ndarray, address: np.ndarray, size: int) -> tuple[int, int]:
    """How often shared memory is read or written for an instruction by which threads `lanes` access
    `size` bytes each at `address`, and how often without conflicts.

    A bank gives one word of 4 bytes at a time, to all threads that want it. Eight bytes of a thread
    are for half of a warp at a time, sixteen for a quarter (CUDA C++ Programming Guide, shared
    memory; the profiler's wavefronts)."""
    if not lanes.size:
        return 0, 0
    together = WARP if size <= 4 else WARP * 4 // size
    group = lanes // WARP * WARP + lanes % WARP // together
    words = address[None] // 4 + np.arange(max(1, size // 4))[:, None]
    wanted = np.unique(np.broadcast_to(group, words.shape).astype(np.int64) << 32 | words)
    of_group, bank = wanted >> 32, wanted % BANKS
    number = np.unique(of_group, return_inverse=True)[1]
    counts = np.zeros((number.max() + 1, BANKS), np.int64)
    np.add.at(counts, (number, bank), 1)
    return int(counts.max(1).sum()), len(counts)
