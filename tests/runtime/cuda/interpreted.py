"""The persistent kernel's own text on the mock driver: the table that the run-time has written and
the weights as they are packed, in Triton's interpreter, which reads and writes the mock's device
memory.

It runs the programs of a grid one after the other, so that they cannot wait for each other: one
program runs all steps, grid barriers included; several are launched anew at each.

Runs in a process of its own (tests/kernels/run_triton.py says why).
"""

from __future__ import annotations

import ctypes
import itertools
import multiprocessing
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock as patching

import numpy as np

import acrobat as ab
from acrobat.kernels.printers.cuda.compiled import CudaKernels, PersistentKernel
from acrobat.kernels.specification.spec import KernelSpec
from tests.runtime.cuda import step_table
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check, on_gpu, problem

ENVIRONMENT = {"TRITON_INTERPRET": "1", "OPENBLAS_NUM_THREADS": "1"}


class Interpreted(Mock):
    """Persistent kernels are interpreted, by `grid` programs."""

    grid: int = 1
    grid_barriers: int = 0

    def build_cuda_kernels(
        self,
        specs: Sequence[KernelSpec],
        arch: int,
        precision: Any,
        persistent: bool = False,
        processors: int | None = None,
    ) -> CudaKernels:
        """The code generator's, but for the machine code."""
        from acrobat.cache import content_hash
        from acrobat.kernels.printers.cuda.build import kernels_of_persistent
        from acrobat.kernels.printers.cuda.compile import load_source
        from acrobat.kernels.printers.cuda.persistent_kernel import SYMBOL, write_persistent_kernel
        from acrobat.kernels.printers.cuda.tile import PERSISTENT_WARPS
        from tests.kernels.interpreter import sum_together

        assert persistent
        sum_together()
        source = write_persistent_kernel(specs, precision, arch)
        self.function = getattr(load_source(source.text, content_hash([source.text])), SYMBOL)
        self.persistent[SYMBOL] = []
        cubin = self.folder / "persistent.cubin"
        cubin.write_text(f"{SYMBOL} -2\n")
        kernels = kernels_of_persistent(specs, precision, source, cubin, 0)
        kernel = PersistentKernel(cubin, SYMBOL, PERSISTENT_WARPS, 0, source.text)
        return CudaKernels(arch, kernels, 0.0, kernel)

    def _run_persistent(self, symbol: str, grid: list[int], parameters: Any) -> None:
        import torch

        address, begin, end = parameters[:3]

        def words(first: int, n: int) -> np.ndarray:
            return self._floats(address + 8 * first, 2 * n).view(np.uint64)

        steps = step_table.read_steps(words, end, lambda kind: 0)
        bounds = [begin, *(i for i in range(1, end) if steps[i].waits), end]
        pointer = ctypes.cast(address, ctypes.POINTER(ctypes.c_int64))
        length = self.driver.mock_accessible(address) // 8
        table = torch.from_numpy(np.ctypeslib.as_array(pointer, (length,)))
        if self.grid == 1:
            bounds = [begin, end]
        with np.errstate(all="ignore"):
            for first, last in itertools.pairwise(bounds):
                self.function[(self.grid,)](table, first, last)
        self.grid_barriers += int(words(0, 1)[0])


def agree(name: str, batch: int, programs: int, **options: Any) -> int:
    """Runs a workload at `tiny`, in this process; AssertionError unless the results are those of
    plain Python. The number of grid barriers that programs have passed."""
    import acrobat.kernels.printers.cuda.build

    with tempfile.TemporaryDirectory() as folder:
        mock = Interpreted(Path(folder))
        mock.grid = programs
        os.environ["ACROBAT_LIBCUDA"] = str(mock.path)
        acrobat.kernels.printers.cuda.build.build_cuda_kernels = mock.build_cuda_kernels  # type: ignore[assignment]
        fast = on_gpu(name, ab.Options(gpu_mode="persistent", **options))
        _, instances, want = problem(name, batch)
        try:
            check(want, fast(instances))
        finally:
            wrong = mock.wrong()
            assert wrong == [], "\n".join(wrong)
    return mock.grid_barriers


def process() -> ProcessPoolExecutor:
    """A process in which Triton interprets."""
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    with patching.patch.dict(os.environ, ENVIRONMENT):
        pool.submit(os.getpid).result()  # the process starts, with this environment
    return pool
