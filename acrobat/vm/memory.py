"""The memory limit of a call, and the memory of its tensors: runtime/src/memory.cc and
runtime/include/acrobat/schedule/arena.h reimplemented in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..errors import CapacityError
from ..limits import ARENA_FLOATS

# Approximate memory of a recorded node with its operands and place, of an object of data, and of an
# item of a list.
NODE_BYTES, DATA_BYTES, WORD_BYTES = 700, 100, 8
LISTS = "its lists and data"
# Bytes taken before free memory is first checked; the least and the most before it is checked
# again.
_FIRST_LOOK, _LEAST_STEP, _STEP = 16 << 20, 1 << 20, 64 << 20
_FIRST_FLOATS = 1 << 16
_PAD = 1024  # floats past the last tensor that kernels may read


class Budget:
    """The memory budget of one call: `limit` bytes, or, if that is 0, whatever is free."""

    def __init__(self, limit: int) -> None:
        self.limit, self.taken, self._next_look = limit, 0, _FIRST_LOOK

    def take(self, count: int, what: str, at_once: int = 0) -> None:
        """Count `count` more bytes for `what`, which needs up to `at_once` for a moment.
        CapacityError if the option does not allow them, or if fewer are free."""
        self.taken += count
        self.allow(self.taken, what)
        at_once = max(count, at_once)
        if self.taken < self._next_look and at_once < _STEP:
            return
        free = free_memory()
        self._next_look = self.taken + min(max(free // 4, _LEAST_STEP), _STEP)
        if at_once > free:
            raise CapacityError(
                f"the mini-batch needs {at_once >> 20} MiB more for {what}, and {free >> 20} MiB "
                f"are free; pass fewer instances per call, or see whether every loop and recursion "
                f"of the model ends"
            )

    def allow(self, count: int, what: str) -> None:
        """Raise CapacityError if the option does not allow `count` bytes."""
        if self.limit and count > self.limit:
            raise CapacityError(
                f"the mini-batch needs more than the {self.limit >> 20} MiB that Options.memory_mb "
                f"allows, the last of it for {what}; pass fewer instances per call, see whether "
                f"every loop and recursion of the model ends, or raise the option"
            )


class Arena:
    """The memory of one call's tensors, which grows. `provide` may replace the array `floats`."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.provided = budget, 0
        self.floats = _aligned(_FIRST_FLOATS)

    def provide(self, count: int) -> None:
        """Make room for `count` floats in total. CapacityError if there is none."""
        if count <= self.provided:
            return
        self.budget.take((count - self.provided) * 4, "its tensors")
        room = self.floats.size - _PAD
        if count > room:
            larger = _aligned(min(max(count, 2 * room), ARENA_FLOATS))
            larger[: self.provided] = self.floats[: self.provided]
            self.floats = larger
        self.provided = count


def _aligned(count: int) -> np.ndarray:
    """Return an array of `count` floats and of those that kernels may read past them, 64-byte
    aligned. It reserves addresses only; pages back them as they are touched."""
    raw = np.empty(count + _PAD + 16, dtype=np.float32)
    shift = -(raw.ctypes.data // 4) % 16
    return raw[shift : shift + count + _PAD]


def free_memory() -> int:
    """Return how many bytes the machine and the control groups leave, minus a reserve."""
    figures = dict(_lines(Path("/proc/meminfo")))
    free = [1 << 62]
    if {"MemAvailable:", "MemTotal:"} <= figures.keys():
        free.append(_but_for_a_reserve(figures["MemAvailable:"] << 10, figures["MemTotal:"] << 10))
    free += _free_of_groups()
    return max(min(free), 0)


def _but_for_a_reserve(free: int, total: int) -> int:
    return free - min(total // 32, 512 << 20)


def _free_of_groups() -> Iterator[int]:
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, which, path = line.split(":", 2)
            if which == "":
                roots = [Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")]
                names = ("memory.max", "memory.current", "inactive_file")
            elif "memory" in which.split(","):
                roots = [Path("/sys/fs/cgroup/memory")]
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            else:
                continue
            for root in roots:
                for group in (root / path[1:], *(root / path[1:]).parents):
                    if group.is_relative_to(root):
                        yield from _free_of_group(group, names)


def _free_of_group(group: Path, names: tuple[str, str, str]) -> Iterator[int]:
    with suppress(OSError, ValueError):
        limit, used = (int((group / n).read_text()) for n in names[:2])
        if limit < 1 << 62:  # cgroup v1 expresses "no limit" as a very large number
            files = dict(_lines(group / "memory.stat")).get(names[2], 0)
            yield _but_for_a_reserve(limit - max(used - files, 0), limit)


def _lines(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the lines "name number" of a file."""
    with suppress(OSError):
        for line in path.read_text().splitlines():
            name, _, rest = line.partition(" ")
            with suppress(ValueError, IndexError):
                yield name, int(rest.split()[0])
