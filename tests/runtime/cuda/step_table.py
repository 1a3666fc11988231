"""A persistent kernel on the mock: the table that the run-time has written, step by step.

What a GPU could do between two grid barriers is every order, and all at once: steps run in a random
order, what none has computed yet is NaN, and no step may touch what another one writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from acrobat.kernels.specification.spec import KernelSpec

HEAD = 4  # words


@dataclass(frozen=True)
class Step:
    """A line of the table, and its arguments."""

    kind: int
    waits: bool
    row_tiles: int
    tiles: int
    first: int
    arguments: list[int]


def read_steps(
    words: Callable[[int, int], np.ndarray], end: int, arguments: Callable[[int], int]
) -> list[Step]:
    """Steps [0, end) of a table. `words(first, n)`: n words as uint64; `arguments(kind)`: how many
    a kind has."""
    assert (words(0, HEAD) == 0).all(), "a grid barrier was counted before"
    lines = words(HEAD, HEAD * end).view(np.int32).reshape(end, 2 * HEAD).tolist()
    return [
        Step(kind, bool(waits), x, n, first, words(at, arguments(kind)).tolist())
        for kind, waits, x, n, first, at, *_ in lines
    ]


def stages(steps: list[Step], grid_barriers: bool = True) -> Iterator[list[Step]]:
    """The steps between grid barriers; their tiles are numbered one after the other."""
    found: list[Step] = []
    for step in steps:
        if found and step.waits and grid_barriers:
            yield found
            found = []
        tiles = sum(s.tiles for s in found)
        assert not grid_barriers or step.first == tiles
        found.append(step)
    yield found


class Touched:
    """What the steps of a stage write and read, as ranges of addresses."""

    def __init__(self) -> None:
        self.writes: list[np.ndarray] = []
        self.reads: list[np.ndarray] = []

    def write(self, begin: np.ndarray, floats: int) -> None:
        """Ranges of equal length."""
        self.writes.append(_ranges(begin, floats))

    def read(self, begin: np.ndarray, floats: int) -> None:
        """Ranges of equal length."""
        self.reads.append(_ranges(begin, floats))

    def races(self) -> list[str]:
        """What is wrong with them: written twice, or written and read."""
        found: list[str] = []
        writes = np.concatenate(self.writes)
        begin, end = writes[np.argsort(writes[:, 0])].T
        if (end[:-1] > begin[1:]).any():
            found.append("two steps between grid barriers write the same")
        for read in self.reads:
            # The first range that is written and does not end before this one begins.
            first = np.searchsorted(end, read[:, 0], side="right")
            behind = np.append(begin, np.iinfo(np.int64).max)[first]
            if (behind < read[:, 1]).any():
                found.append("a step reads what is written between the same grid barriers")
        return sorted(set(found))


def _ranges(begin: np.ndarray, floats: int) -> np.ndarray:
    at = np.ravel(begin).astype(np.int64)
    return np.stack([at, at + 4 * floats], axis=1)


def touch_kernel(touched: Touched, spec: KernelSpec, step: Step, offsets: list[np.ndarray]) -> None:
    """Note what a kernel reads and writes. `offsets`: of its indexed operands, in order."""
    record, scratch, rows = step.arguments[:3]
    node = np.arange(rows // spec.rows, dtype=np.int64)
    begin = {
        "record": record + 4 * spec.record * node,
        "scratch": scratch + 4 * spec.scratch * node,
    }
    for number, operand in enumerate(spec.operands):
        if operand.kind in ("gathered", "gathered_row"):
            i = spec.indexed.index(number)
            base = step.arguments[5 + 2 * i]
            touched.read(base + 4 * offsets[i].astype(np.int64), operand.width)
        else:
            place = "record" if operand.kind == "self" else "scratch"
            touched.read(begin[place] + 4 * operand.at, operand.width)
    for store in spec.stores:
        start, width = begin[store.place] + 4 * store.offset, 1 if store.scalar else spec.width
        if store.row_stride == width:
            touched.write(start, spec.rows * width)
        else:
            m = np.arange(spec.rows, dtype=np.int64)
            touched.write(start[:, None] + 4 * store.row_stride * m, width)


def touch_copy(touched: Touched, step: Step, runs: np.ndarray) -> None:
    """Note what copies read and write. `runs`: [n, 3]."""
    to, base = step.arguments[:2]
    for source, target, length in runs.astype(np.int64):
        touched.read(base + 4 * source, int(length))
        touched.write(to + 4 * target, int(length))
