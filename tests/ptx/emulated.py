"""Persistent kernels' machine text on the mock driver: the table that the run-time has written and
the weights as they are packed, in the emulator of tests/ptx, which reads and writes the mock's
device memory. Several programs run interleaved at random."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock as patching

import numpy as np

import acrobat as ab
import acrobat.kernels.printers.cuda.build
from acrobat.kernels.printers.cuda.build import kernels_of_persistent, source_of_persistent
from acrobat.kernels.printers.cuda.compiled import CudaKernels, PersistentKernel
from acrobat.kernels.printers.cuda.persistent_kernel import SYMBOL, write_persistent_kernel
from acrobat.kernels.printers.cuda.tile import PERSISTENT_WARPS
from acrobat.kernels.specification.spec import KernelSpec
from tests.ptx.compiled import Program
from tests.ptx.execution import Report, launch_cooperatively
from tests.ptx.machine_text import machine_text
from tests.ptx.syntax import parse
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check, on_gpu, problem


@dataclass(frozen=True, slots=True)
class Recorded:
    """A cooperative launch, with the memory that it touched, by address, before and after."""

    entry: str
    programs: int
    parameters: list[int]
    shared: int
    before: dict[int, np.ndarray]
    after: dict[int, np.ndarray]
    report: Report

    def find(self, address: int, memory: dict[int, np.ndarray]) -> tuple[int, np.ndarray] | None:
        """Where in a copy of the memory an address lies."""
        for begin, words in memory.items():
            if begin <= address < begin + 4 * words.size:
                return begin, words
        return None


@dataclass
class Emulated(Mock):
    """Persistent kernels for compute capability `arch` are emulated with at most `most` programs;
    `change` is made to their text first."""

    arch: int = 90
    most: int = 3
    seed: int = 0
    keep: bool = False  # record launches
    report: Report = field(default_factory=Report)
    launches: int = 0
    text: str = ""
    program: Program | None = None
    recorded: list[Recorded] = field(default_factory=list)

    def build_cuda_kernels(
        self,
        specs: Sequence[KernelSpec],
        arch: int,
        precision: Any,
        persistent: bool = False,
        processors: int | None = None,
    ) -> CudaKernels:
        """The code generator's, but for the machine code."""
        assert persistent
        source = write_persistent_kernel(specs, precision, self.arch)
        made = machine_text(source_of_persistent(source, self.arch))
        self.shared = made.shared
        self.text = made.text
        self.program = Program(parse(made.text))
        self.persistent[SYMBOL] = []
        cubin = self.folder / "persistent.cubin"
        cubin.write_text(f"{SYMBOL} -2\n")
        kernels = kernels_of_persistent(specs, precision, source, cubin, made.shared)
        kernel = PersistentKernel(cubin, SYMBOL, PERSISTENT_WARPS, made.shared, source.text)
        return CudaKernels(arch, kernels, 0.0, kernel)

    def _run_persistent(self, symbol: str, grid: list[int], parameters: Any) -> None:
        assert self.program is not None
        programs, before = min(self.most, grid[0]), dict[int, np.ndarray]()

        def find(address: int) -> tuple[int, np.ndarray] | None:
            found = self.find(address)
            if found is not None and self.keep:  # nothing there has been written yet
                before[found[0]] = found[1].copy()
            return found

        arguments = [*parameters[:3], 0, 0]
        report = launch_cooperatively(
            self.program, symbol, programs, arguments, find, self.shared,
            self.seed + self.launches,
        )  # fmt: skip
        if self.keep:
            after = {begin: self.find(begin)[1].copy() for begin in before}  # type: ignore[index]
            self.recorded.append(
                Recorded(symbol, programs, arguments, self.shared, before, after, report)
            )
        self.launches += 1
        self.report.add(report)


def emulate(name: str, batch: int, options: ab.Options, **how: Any) -> Emulated:
    """Runs a workload at `tiny`; AssertionError unless the results are those of plain Python, and
    RuntimeError if a launch failed. Problems are in the mock's `report`. `how`: see `Emulated`."""
    with tempfile.TemporaryDirectory() as folder:
        mock = Emulated(Path(folder), **how)
        build = acrobat.kernels.printers.cuda.build
        with (
            patching.patch.dict(os.environ, ACROBAT_LIBCUDA=str(mock.path)),
            patching.patch.object(build, "build_cuda_kernels", mock.build_cuda_kernels),
        ):
            fast = on_gpu(name, options)
            _, instances, want = problem(name, batch)
            got = fast(instances)
        wrong = mock.wrong()
        if wrong:
            raise RuntimeError("\n".join(wrong))
        check(want, got)
    return mock
