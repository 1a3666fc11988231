"""Kernels that are launched one by one, in the emulator: an executor for `run_cuda.run`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from acrobat.kernels.printers.cuda.build import sources
from acrobat.kernels.printers.cuda.compile import Source
from acrobat.kernels.printers.cuda.emit import EARLY_ARCH, symbol
from acrobat.kernels.printers.cuda.tile import Precision, Tile
from acrobat.kernels.specification.spec import KernelSpec

from .compiled import Program
from .execution import Report, launch
from .machine_text import machine_text
from .shared_memory import Conflicts
from .syntax import parse

_GAP = 1 << 20  # bytes between arrays at least, which are nobody's


@functools.cache
def _program(text: str) -> Program:
    return Program(parse(text))


class Arrays:
    """Device memory that is the given arrays."""

    def __init__(self) -> None:
        self.begins: dict[int, np.ndarray] = {}
        self.next = 1 << 32

    def add(self, array: np.ndarray) -> int:
        """Where a copy of `array` lies, a multiple of 256."""
        words = np.ascontiguousarray(array).reshape(-1).view(np.uint32).copy()
        at = self.next
        self.begins[at] = words
        self.next += (4 * words.size + 2 * _GAP) // _GAP * _GAP
        return at

    def find(self, address: int) -> tuple[int, np.ndarray] | None:
        """The array that an address lies in."""
        for begin, words in self.begins.items():
            if begin <= address < begin + 4 * words.size:
                return begin, words
        return None


class Launched:
    """Runs variants for compute capability `arch`; adds up what launches were. `conflicts` counts
    those of banks, if it is given."""

    def __init__(self, arch: int, conflicts: Conflicts | None = None) -> None:
        self.arch, self.conflicts = arch, conflicts
        self.report = Report()
        self.launches = 0

    def __call__(
        self, spec: KernelSpec, tile: Tile, precision: Precision, grid: tuple[int, int],
        args: Sequence[np.ndarray | int],
    ) -> list[np.ndarray]:  # fmt: skip
        """The arrays among `args` after the variant with `tile` ran on them."""
        [source] = [
            s for s in sources(spec, self.arch, precision) if s.symbol == symbol(spec, tile)
        ]
        return self.run(source, grid, args)

    def run(
        self, source: Source, grid: tuple[int, int], args: Sequence[np.ndarray | int]
    ) -> list[np.ndarray]:
        """The arrays among `args` after `source` ran on them. AssertionError if that was wrong."""
        made, memory = machine_text(source), Arrays()
        values = [a if isinstance(a, int) else memory.add(a) for a in args]
        # Behind a kernel that has not ended: what it may write is all but what the host wrote.
        host = ("rows", "weights", "vectors")
        late = [
            value for value, name in zip(values, source.signature, strict=True)
            if name not in host and not name.startswith("offsets")
        ]  # fmt: skip
        report = launch(
            _program(made.text), source.symbol, grid, [*values, 0, 0], memory.find, made.shared,
            late=late if source.arch >= EARLY_ARCH else (), conflicts=self.conflicts,
        )  # fmt: skip
        self.report.add(report)
        self.launches += 1
        assert not report.problems, report.problems
        arrays = [(a, v) for a, v in zip(args, values, strict=True) if not isinstance(a, int)]
        return [memory.begins[v].view(a.dtype).reshape(a.shape) for a, v in arrays]
