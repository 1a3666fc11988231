"""A walker on the mock: the table that the run-time has written, step by step.

What a GPU could do between two barriers is every order, and all at once: steps run in a random
order, what none has computed yet is NaN, and no step may touch what another one writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from acrobat.kernels.spec import KernelSpec

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
    assert (words(0, HEAD) == 0).all(), "programs have met before"
    lines = words(HEAD, HEAD * end).view(np.int32).reshape(end, 2 * HEAD).tolist()
    return [
        Step(kind, bool(waits), x, n, first, words(at, arguments(kind)).tolist())
        for kind, waits, x, n, first, at, *_ in lines
    ]


def stages(steps: list[Step], barriers: bool = True) -> Iterator[list[Step]]:
    """The steps between barriers; their tiles are numbered one after the other."""
    found: list[Step] = []
    for step in steps:
        if found and step.waits and barriers:
            yield found
            found = []
        tiles = sum(s.tiles for s in found)
        assert not barriers or step.first == tiles
        found.append(step)
    yield found


class Touched:
    """What the steps of a stage write and read, as ranges of floats by address."""

    def __init__(self) -> None:
        self.writes: list[np.ndarray] = []
        self.reads: list[np.ndarray] = []

    def write(self, addresses: np.ndarray) -> None:
        """A step's stores: the address of every float."""
        self.writes.append(np.ravel(addresses) // 4)

    def read(self, begin: np.ndarray | int, floats: int) -> None:
        """Ranges of equal length."""
        at = np.ravel(np.asarray(begin, np.int64)) // 4
        self.reads.append(np.stack([at, at + floats], axis=1))

    def races(self) -> list[str]:
        """What is wrong with them: written twice, or written and read."""
        written = np.concatenate(self.writes)
        low, high = written.min(), written.max() + 1
        times = np.zeros(high - low, np.int32)
        np.add.at(times, written - low, 1)
        found = ["two steps between barriers write the same"] if times.max() > 1 else []
        before = np.concatenate([[0], np.cumsum(times)])
        ranges = np.clip(np.concatenate(self.reads) - low, 0, high - low)
        if (before[ranges[:, 1]] > before[ranges[:, 0]]).any():
            found.append("a step reads what is written between the same barriers")
        return found


def touch_kernel(touched: Touched, spec: KernelSpec, step: Step, offsets: list[np.ndarray]) -> None:
    """Note what a kernel reads and writes. `offsets`: of its indexed operands, in order."""
    record, scratch, rows = step.arguments[:3]
    node = np.arange(rows // spec.rows, dtype=np.int64)
    begin = {
        "record": record + 4 * spec.record * node,
        "scratch": scratch + 4 * spec.scratch * node,
    }
    for number, operand in enumerate(spec.operands):
        if operand.kind in ("row", "table"):
            i = spec.indexed.index(number)
            base = step.arguments[5 + 2 * i]
            touched.read(base + 4 * offsets[i].astype(np.int64), operand.width)
        else:
            place = "record" if operand.kind == "self" else "scratch"
            touched.read(begin[place] + 4 * operand.at, operand.width)
    m = np.arange(spec.rows, dtype=np.int64)[:, None]
    for store in spec.stores:
        j = np.arange(1 if store.scalar else spec.width, dtype=np.int64)
        inside = store.offset + m * store.row_stride + j
        touched.write(begin[store.place][:, None] + 4 * inside.ravel())


def touch_copy(touched: Touched, step: Step, runs: np.ndarray) -> None:
    """Note what copies read and write. `runs`: [n, 3]."""
    to, base = step.arguments[:2]
    for source, target, length in runs.astype(np.int64):
        touched.read(base + 4 * source, int(length))
        touched.write(to + 4 * (target + np.arange(length)))
