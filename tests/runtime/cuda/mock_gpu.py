"""The mock driver as tests see it, and kernels for it: specifications that are evaluated by
`kernels.specification.reference`, behind the interface of the code generator."""

from __future__ import annotations

import ctypes
import subprocess
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from acrobat.aot.toolchain import find_compiler
from acrobat.cache import cached_file, content_hash
from acrobat.kernels.printers.cuda.compiled import (
    CudaKernel,
    CudaKernels,
    CudaVariant,
    PersistentKernel,
)
from acrobat.kernels.printers.cuda.persistent_kernel import COPY
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import KernelSpec
from tests.runtime.cuda import step_table

HERE = Path(__file__).parent
KERNEL = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, *[ctypes.c_uint] * 4, ctypes.POINTER(ctypes.c_uint64)
)
GIB = 1 << 30


def build_driver() -> Path:
    """The mock driver as a shared library."""
    sources = sorted(HERE.glob("*.cc"))
    texts = [p.read_text() for p in (*sources, *sorted(HERE.glob("*.h")))]

    def make(path: Path) -> None:
        compiler, _ = find_compiler()
        command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*command, *map(str, sources), "-o", str(path)], check=True)

    return cached_file("mock", content_hash(texts), ".so", make)[0]


def floats_at(address: int, n: int) -> np.ndarray:
    """A view of device memory; to be touched while the device works only."""
    pointer = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(pointer, (n,))


@dataclass
class Mock:
    """The driver in this process. `folder` is where machine code goes."""

    folder: Path
    path: Path = field(default_factory=build_driver)
    errors: list[str] = field(default_factory=list)
    least_rows: tuple[int, ...] = (1, 16)
    shared: int = 1024
    specs: dict[str, tuple[KernelSpec, CudaVariant]] = field(default_factory=dict)
    built: list[tuple[int, str]] = field(default_factory=list)
    # A persistent kernel's kinds by its symbol, and of each launch of one how many steps there were
    # between grid barriers, and how many programs.
    persistent: dict[str, list[str]] = field(default_factory=dict)
    stages: list[list[int]] = field(default_factory=list)
    programs: list[int] = field(default_factory=list)
    ignore_grid_barriers: bool = False

    def __post_init__(self) -> None:
        self.driver = ctypes.CDLL(str(self.path))
        self.driver.mock_lines.restype = ctypes.c_char_p
        self.driver.mock_used.restype = ctypes.c_uint64
        for where in (self.driver.mock_accessible, self.driver.mock_begin):
            where.restype, where.argtypes = ctypes.c_uint64, (ctypes.c_uint64,)
        self.driver.mock_peek.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t)
        self._kernel = KERNEL(self._launched)
        self.reset()

    def reset(self, limit: int = 4 * GIB, gpus: int = 1) -> None:
        """A healthy GPU with `limit` bytes; the log is empty. With 0 GPUs the driver does not
        start, with -1 it does."""
        self.driver.mock_reset(self._kernel, ctypes.c_uint64(limit), gpus)

    def fail(self, function: str, code: int, call: int = 1) -> None:
        """The `call`-th call of `function` from now on fails with `code`."""
        self.driver.mock_fail(function.encode(), call, code)

    def _lines(self, which: int) -> list[str]:
        return str(self.driver.mock_lines(which).decode()).splitlines()

    def log(self) -> list[str]:
        """The calls since the last time, with a size or the name of a kernel."""
        return self._lines(0)

    def wrong(self) -> list[str]:
        """What was wrong since the last time."""
        found = self._lines(1) + self.errors
        self.errors = []
        return found

    def alive(self) -> list[str]:
        """How many of what have not been given back."""
        return self._lines(2)

    def unmap_all(self) -> None:
        """Give back what an arena lost on purpose, as the end of a process does."""
        self.driver.mock_unmap_all()

    def used(self) -> int:
        """Bytes of device memory in use."""
        return int(self.driver.mock_used())

    def find(self, address: int) -> tuple[int, np.ndarray] | None:
        """The device memory that an address lies in, as words, and where it begins."""
        begin = int(self.driver.mock_begin(address))
        if begin == 0:
            return None
        words = int(self.driver.mock_accessible(begin)) // 4
        pointer = ctypes.cast(begin, ctypes.POINTER(ctypes.c_uint32))
        return begin, np.ctypeslib.as_array(pointer, (words,))

    def peek(self, address: int, n: int) -> np.ndarray:
        """A copy of `n` floats of device memory."""
        out = np.empty(n, np.float32)
        self.driver.mock_peek(out.ctypes.data, address, out.nbytes)
        return out

    # -- the code generator ------------------------------------------------------------------

    def build_cuda_kernels(
        self,
        specs: Sequence[KernelSpec],
        arch: int,
        precision: str,
        persistent: bool = False,
        processors: int | None = None,
    ) -> CudaKernels:
        """In place of the code generator: every kernel in two versions."""
        self.built.append((arch, precision))
        kinds = [""]  # copies
        kernels = {s.name: self._kernel_of(s, kinds) for s in specs}
        if not persistent:
            return CudaKernels(arch, kernels, 0.0)
        symbol = f"persistent_{len(self.persistent)}"
        self.persistent[symbol] = kinds
        cubin = self.folder / f"{symbol}.cubin"
        cubin.write_text(f"{symbol} -2\n")
        return CudaKernels(
            arch, kernels, 0.0, PersistentKernel(cubin, symbol, 4, self.shared, "text")
        )

    def _kernel_of(self, spec: KernelSpec, kinds: list[str]) -> CudaKernel:
        key = content_hash([repr(spec)])
        cubin = self.folder / f"{key}.cubin"
        variants: list[CudaVariant] = []
        for least in self.least_rows:
            symbol, kind = f"{spec.name}_{key}_{least}", len(kinds)
            variants.append(CudaVariant(cubin, symbol, least, least, 2, 4, self.shared, kind))
            kinds.append(symbol)
        lines = [f"{v.symbol} {len(spec.indexed)}\n" for v in variants]
        cubin.write_text("".join(lines))
        self.specs |= {v.symbol: (spec, v) for v in variants}
        weights, vectors = (sum(np.prod(w, dtype=int) for w in spec.weights), sum(spec.vectors))
        return CudaKernel(spec.name, tuple(variants), int(weights), int(vectors))

    def _launched(self, name: bytes, *how: Any) -> None:
        try:
            *grid, parameters = how
            if name.decode() in self.persistent:
                self._run_persistent(name.decode(), list(grid), parameters)
            else:
                self._evaluate(name.decode(), list(grid), parameters)
        except Exception:
            self.errors.append(traceback.format_exc())

    def _evaluate(self, symbol: str, grid: list[int], parameters: Any) -> None:
        spec, variant = self.specs[symbol]
        record, scratch, rows, weights, vectors = parameters[:5]
        n = rows // spec.rows
        assert rows == n * spec.rows
        x, y, threads, shared = grid
        assert (x, y) == variant.grid(n, spec.rows, spec.shares_tiles)
        assert (threads, shared) == (32 * variant.warps, variant.shared)
        best = [least for least in self.least_rows if least <= rows][-1]
        assert variant.least_rows == best, f"{rows} rows with the kernel for {variant.least_rows}"
        aligned = (record, scratch, weights, vectors)
        assert all(address % 16 == 0 for address in aligned)
        out = self._floats(record, n * spec.record).reshape(n, spec.record)
        temporary = self._floats(scratch, n * spec.scratch).reshape(n, spec.scratch)
        offsets: dict[int, np.ndarray] = {}
        tables: dict[int, np.ndarray] = {}
        for i, operand in enumerate(spec.indexed):
            base, where = parameters[5 + 2 * i], parameters[6 + 2 * i]
            offsets[operand] = self._floats(where, n).view(np.int32)
            width = spec.operands[operand].width
            for offset in offsets[operand]:
                self._floats(base + 4 * int(offset), width)
            tables[operand] = floats_at(base, int(offsets[operand].max()) + width)
        # Every operand has a base of its own here, as tables have.
        operands = tuple(
            replace(o, kind="gathered_row") if o.kind == "gathered" else o for o in spec.operands
        )
        run_reference(
            replace(spec, operands=operands),
            np.zeros(0, np.float32),
            offsets,
            tables,
            self._split(weights, spec.weights),
            self._split(vectors, [(v,) for v in spec.vectors]),
            out,
            temporary,
        )

    def _run_persistent(self, symbol: str, grid: list[int], parameters: Any) -> None:
        table, begin, end = parameters[:3]
        kinds = self.persistent[symbol]
        assert begin == 0 and end > 0 and table % 32 == 0

        def words(first: int, n: int) -> np.ndarray:
            return self._floats(table + 8 * first, 2 * n).view(np.uint64)

        def arguments(kind: int) -> int:
            return 3 if kind == COPY else 5 + 2 * len(self.specs[kinds[kind]][0].indexed)

        steps = step_table.read_steps(words, end, arguments)
        # Nothing has been computed yet.
        for step in steps:
            if step.kind != COPY:
                spec, (record, scratch, rows) = self.specs[kinds[step.kind]][0], step.arguments[:3]
                self._floats(record, rows // spec.rows * spec.record)[:] = np.nan
                self._floats(scratch, rows // spec.rows * spec.scratch)[:] = np.nan
        rng = np.random.default_rng(end)
        found = list(step_table.stages(steps, not self.ignore_grid_barriers))
        most = max(sum(s.tiles for s in stage) for stage in found)
        assert 0 < grid[0] <= most, "programs that have nothing to do"
        for stage in found:
            touched = step_table.Touched()
            for step in (stage[i] for i in rng.permutation(len(stage))):
                self._step(kinds[step.kind], step, touched)
            self.errors += touched.races()
        self.stages.append([len(stage) for stage in found])
        self.programs.append(grid[0])

    def _step(self, symbol: str, step: step_table.Step, touched: step_table.Touched) -> None:
        if step.kind == COPY:
            to, base, where = step.arguments
            runs = self._floats(where, 3 * step.tiles).view(np.int32).reshape(-1, 3)
            step_table.touch_copy(touched, step, runs)
            for source, target, length in runs.tolist():
                out = self._floats(to + 4 * target, length)
                out[:] = self._floats(base + 4 * source, length)
            return
        spec, variant = self.specs[symbol]
        x, y = variant.grid(step.arguments[2] // spec.rows, spec.rows, spec.shares_tiles)
        assert (step.row_tiles, step.tiles) == (x, x * y)
        grid = [x, y, 32 * variant.warps, variant.shared]
        n = step.arguments[2] // spec.rows
        offsets = [
            self._floats(step.arguments[6 + 2 * i], n).view(np.int32)
            for i in range(len(spec.indexed))
        ]
        step_table.touch_kernel(touched, spec, step, offsets)
        self._evaluate(symbol, grid, step.arguments)

    def _floats(self, address: int, n: int) -> np.ndarray:
        if n == 0:
            return np.zeros(0, np.float32)
        there = self.driver.mock_accessible(address)
        assert there >= 4 * n, f"{n} floats wanted where there are {there} bytes"
        return floats_at(address, n)

    def _split(self, address: int, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        sizes = [int(np.prod(s, dtype=int)) for s in shapes]
        flat = self._floats(address, sum(sizes))
        parts = np.split(flat, np.cumsum(sizes)[:-1]) if sizes else []
        return [p.reshape(s) for p, s in zip(parts, shapes, strict=True)]


def pack(spec: KernelSpec, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """In place of the code generator's packing: one after the other."""
    return np.concatenate([np.zeros(0, np.float32), *(a.ravel() for a in arrays)])
