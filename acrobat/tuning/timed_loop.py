"""One schedule of a kernel, compiled into its own library with a loop that calls it as the run-time
does: parts of the rows, column blocks, tiles. The loop is compiled, too, and reads the clock
itself."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from ..aot.toolchain import run_compiler
from ..kernels.printers.calling_convention import CompiledKernel, tile_plan
from ..kernels.printers.cpu.build import describe, sources_of
from ..kernels.printers.cpu.compile import object_file
from ..kernels.printers.cpu.pack import pack_vectors, pack_weights
from ..kernels.printers.cpu.rule import choose_template
from ..kernels.printers.cpu.schedule import Schedule
from ..kernels.printers.cpu.target import CpuTarget
from ..kernels.specification.spec import KernelSpec
from .operands import Operands

_LOOP = r"""
#include <stdint.h>
#include <time.h>
typedef struct { int32_t type; uint32_t zero; int64_t value; } Arg;
typedef int (*Kernel)(void*, const Arg*, int32_t, Arg*);

extern "C" void TVMFFIErrorSetRaisedFromCStrParts(const char*, const char**, int32_t) {}

/* parts: first entry, last entry, first row; plan: kernel, height, number of tiles per entry;
   where: base, offsets per operand. Nanoseconds of `repeat` runs, or -1. */
extern "C" __attribute__((visibility("default"))) int64_t acrobat_time(
    const int64_t* parts, int n_parts, const int64_t* plan, int blocks, float* out, float* scratch,
    const float* w, const float* v, int operands, const int64_t* where, int64_t repeat) {
  Arg args[7 + 2 * 64] = {{4, 0, (int64_t)out}, {4, 0, (int64_t)scratch}, {1, 0, 0}, {1, 0, 0},
                          {1, 0, 0}, {4, 0, (int64_t)w}, {4, 0, (int64_t)v}};
  for (int i = 0; i < 2 * operands; i++) args[7 + i] = Arg{4, 0, where[i]};
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (; repeat > 0; repeat--) {
    for (int p = 0; p < n_parts; p++) {
      for (int jo = 0; jo < blocks; jo++) {
        int64_t row = parts[3 * p + 2];
        for (int64_t e = parts[3 * p]; e < parts[3 * p + 1]; e++) {
          Arg result = {0, 0, 0};
          args[2].value = row;
          args[3].value = plan[3 * e + 2];
          args[4].value = jo;
          if (((Kernel)plan[3 * e])(0, args, 7 + 2 * operands, &result)) return -1;
          row += plan[3 * e + 1] * plan[3 * e + 2];
        }
      }
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (end.tv_sec - begin.tv_sec) * 1000000000 + (end.tv_nsec - begin.tv_nsec);
}
"""


class TimedLoop:
    """The kernel of `spec` with `schedule`, compiled for the tiles that calls over `rows` rows
    need. ToolchainError if a compiler fails."""

    def __init__(
        self,
        spec: KernelSpec,
        schedule: Schedule,
        target: CpuTarget,
        rows: list[int],
        operands: Operands,
        folder: Path,
        number: int,
    ) -> None:
        self.spec, self.schedule, self._operands = spec, schedule, operands
        template = choose_template(spec, target, schedule)
        self._kernel: CompiledKernel = describe(spec, template)
        heights = {r for n in rows for _, tiles in parts_of(n, schedule) for r, _ in tiles}
        code = object_file(sources_of(spec, template, sorted(heights)), target)
        path = folder / f"{number}.so"
        kernel = folder / f"{number}.o"
        kernel.write_bytes(code)
        run_compiler("a kernel", ["-shared", _loop(folder), kernel], path)
        kernel.unlink()
        self._library = ctypes.CDLL(str(path))
        self._library.acrobat_time.restype = ctypes.c_int64
        self._weights = pack_weights(spec, operands.weights, schedule)
        self._vectors = pack_vectors(spec, operands.vectors, schedule)

    def nanoseconds(self, nodes: int, repeat: int = 1) -> float:
        """The time of one call over `nodes` nodes, the mean of `repeat` calls."""
        plan: list[int] = []
        parts: list[int] = []
        for first, tiles in parts_of(nodes * self.spec.rows, self.schedule):
            begin = len(plan) // 3
            plan += [x for r, count in tiles for x in (self._address(r), r, count)]
            parts += [begin, len(plan) // 3, first]
        given = self._operands
        where = given.addresses(self.spec)
        took = self._library.acrobat_time(
            (ctypes.c_int64 * len(parts))(*parts),
            len(parts) // 3,
            (ctypes.c_int64 * len(plan))(*plan),
            self._kernel.column_blocks,
            *map(_pointer, (given.out, given.scratch, self._weights, self._vectors)),
            len(self.spec.indexed),
            (ctypes.c_int64 * max(1, len(where)))(*where),
            ctypes.c_int64(repeat),
        )
        if took < 0:
            raise RuntimeError(f"{self.spec.name}: the kernel refused its arguments")
        return float(took) / repeat

    def results(self, nodes: int) -> tuple[bytes, bytes]:
        """The bytes that a call over `nodes` nodes stores in records and in temporaries, which it
        finds in the same initial state each time."""
        given = self._operands
        given.reset()
        self.nanoseconds(nodes)
        return given.stored(self.spec, nodes)

    def _address(self, r: int) -> int:
        function = getattr(self._library, self._kernel.symbol(r))
        return ctypes.cast(function, ctypes.c_void_p).value or 0


def parts_of(rows: int, schedule: Schedule) -> list[tuple[int, list[tuple[int, int]]]]:
    """The first row and the tiles of each part of the rows that goes through the column blocks
    together."""
    s = schedule
    found = []
    for first in range(0, rows, s.rows_at_once):
        n = min(rows - first, s.rows_at_once)
        found.append((first, tile_plan(n, s.tiles, s.usual, s.join)))
    return found


def _loop(folder: Path) -> Path:
    """The loop's object file, compiled once per folder."""
    path = folder / "loop.o"
    if not path.exists():
        source = folder / "loop.cc"
        source.write_text(_LOOP)
        run_compiler("the loop that times kernels", ["-c", source], path)
    return path


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
