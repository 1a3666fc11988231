"""Kernels in a separate shared library, callable from Python: for tests and measurements.

A few lines of C loop over column blocks and the tile plan as the generated program does, so that a
measurement times the kernel and not Python.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ....cache import cached_file, content_hash, load_library, verified
from ....errors import ToolchainError
from ...specification.spec import KernelSpec
from ..calling_convention import CompiledKernel, KernelObjects

_DRIVER = r"""
#include <stdint.h>
typedef struct { int32_t type; uint32_t zero; int64_t value; } Arg;
typedef int (*Kernel)(void*, const Arg*, int32_t, Arg*);

void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** parts, int32_t n) {
  (void)kind, (void)parts, (void)n;
}

/* plan: (kernel, rows of its tiles, number of tiles) per entry; where: base, offsets per operand */
int acrobat_run(const int64_t* plan, int entries, int blocks, float* out, float* scratch,
                const float* w, const float* v, int operands, const int64_t* where, int repeat) {
  Arg args[7 + 2 * 64] = {{4, 0, (int64_t)out}, {4, 0, (int64_t)scratch}, {1, 0, 0}, {1, 0, 0},
                          {1, 0, 0}, {4, 0, (int64_t)w}, {4, 0, (int64_t)v}};
  for (int i = 0; i < 2 * operands; i++) args[7 + i] = (Arg){4, 0, where[i]};
  for (; repeat > 0; repeat--) {
    for (int jo = 0; jo < blocks; jo++) {
      int64_t row = 0;
      for (int e = 0; e < entries; e++) {
        Arg result = {0, 0, 0};
        args[2].value = row;
        args[3].value = plan[3 * e + 2];
        args[4].value = jo;
        if (((Kernel)plan[3 * e])(0, args, 7 + 2 * operands, &result)) return 1;
        row += plan[3 * e + 1] * plan[3 * e + 2];
      }
    }
  }
  return 0;
}
"""


class Standalone:
    """The kernels of `kernels`, loaded into this process. ToolchainError if gcc fails."""

    def __init__(self, kernels: KernelObjects) -> None:
        self.kernels = kernels
        key = content_hash([_DRIVER, *(p.name for p in kernels.paths)])
        path, _ = cached_file("standalone", key, ".so", lambda p: _link(kernels.paths, p))
        self._library = load_library(path, ctypes.CDLL)

    def run(
        self,
        spec: KernelSpec,
        out: np.ndarray,
        bases: Mapping[int, np.ndarray],
        offsets: Mapping[int, np.ndarray],
        weights: np.ndarray,
        vectors: np.ndarray,
        plan: Sequence[tuple[int, int]] | None = None,
        repeat: int = 1,
        scratch: np.ndarray | None = None,
    ) -> None:
        """Compute all column blocks for the rows of `plan` (by default `tile_plan` of all).

        `out` is float32 [n, record], `scratch` [n, spec.scratch]; `bases[i]` the arena or table
        of operand i and `offsets[i]` int32 [n], for i in `spec.indexed`; `weights` and `vectors`
        are packed. The base of an operand that nodes choose from a table of matrices
        (`CompiledKernel.chosen`) is the matrix that all n nodes chose, in the layout that the
        kernel reads.
        """
        kernel = self.kernels.kernels[spec.name]
        plan = kernel.plan(len(out) * spec.rows) if plan is None else plan
        scratch = out if scratch is None else scratch
        arrays = [out, weights, vectors, *bases.values(), *offsets.values()]
        assert all(a.flags.c_contiguous for a in arrays)
        assert all(o.dtype == np.int32 and len(o) == len(out) for o in offsets.values())
        assert sum(r * count for r, count in plan) <= len(out) * spec.rows
        entries = [x for r, count in plan for x in (self._address(kernel, r), r, count)]
        where = [x for i in spec.indexed for x in (bases[i].ctypes.data, offsets[i].ctypes.data)]
        failed = self._library.acrobat_run(
            (ctypes.c_int64 * len(entries))(*entries),
            len(plan),
            kernel.column_blocks,
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_void_p(scratch.ctypes.data),
            ctypes.c_void_p(weights.ctypes.data),
            ctypes.c_void_p(vectors.ctypes.data),
            len(spec.indexed),
            (ctypes.c_int64 * len(where))(*where),
            repeat,
        )
        if failed:
            raise RuntimeError(f"{spec.name}: the kernel refused its arguments")

    def _address(self, kernel: CompiledKernel, r: int) -> int:
        function = getattr(self._library, kernel.symbol(r))
        return ctypes.cast(function, ctypes.c_void_p).value or 0


def _link(kernels: Sequence[Path], path: Path) -> None:
    source = path.with_suffix(".c")
    source.write_text(_DRIVER)
    command = ["gcc", "-O2", "-shared", "-fPIC", str(source)]
    for i, kernel in enumerate(kernels):
        path.with_name(f"{i}.o").write_bytes(verified(kernel))
        command.append(str(path.with_name(f"{i}.o")))
    done = subprocess.run([*command, "-o", str(path)], capture_output=True, text=True)
    if done.returncode:
        raise ToolchainError(f"gcc failed on the kernels' driver:\n{done.stderr[-4000:]}")
