"""Measures the peaks of this machine: multiply-adds, and reading from caches and memory."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..aot.toolchain import run_compiler, toolchain_key
from ..cache import cached_file, content_hash, load_library
from ..kernels.printers.cpu.pack import aligned
from ..kernels.printers.cpu.target import CpuTarget, host_target

# Loops that do nothing else. Independent chains hide the latency of multiply-adds: 4 cycles, with 2
# begun per cycle. Where data is read, 8 independent sums do the same.
_LOOPS = r"""
#include <stdint.h>
#include <time.h>
#include <unistd.h>
typedef float V __attribute__((vector_size(LANES * 4)));
#define CHAINS (REGISTERS > 16 ? 24 : 12)

static int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Nanoseconds of `times` multiply-adds of each chain. */
extern "C" __attribute__((visibility("default")))
int64_t acrobat_multiply(int64_t times, float seed, float* result) {
  V sum[CHAINS], a = (V){} + seed, b = (V){} + 1e-9f;
  for (int i = 0; i < CHAINS; i++) sum[i] = (V){} + (float)i;
  const int64_t begin = now();
  for (int64_t t = 0; t < times; t++) {
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++) sum[i] = sum[i] * a + b;
  }
  const int64_t took = now() - begin;
  V all = (V){};
  for (int i = 0; i < CHAINS; i++) all += sum[i];
  *result = all[0];
  return took;
}

/* Nanoseconds to read n floats `times` times; n is a multiple of 8 vectors. */
extern "C" __attribute__((visibility("default")))
int64_t acrobat_read(const float* from, int64_t n, int64_t times, float* result) {
  V sum[8] = {};
  const int64_t begin = now();
  for (int64_t t = 0; t < times; t++) {
    for (int64_t at = 0; at < n; at += 8 * LANES) {
#pragma GCC unroll 8
      for (int i = 0; i < 8; i++) sum[i] += *(const V*)(from + at + i * LANES);
    }
    asm volatile("" ::: "memory");
  }
  const int64_t took = now() - begin;
  V all = (V){};
  for (int i = 0; i < 8; i++) all += sum[i];
  *result = all[0];
  return took;
}

/* Bytes of a core's second-level cache, and of the last level; 0 or less if unknown. */
extern "C" __attribute__((visibility("default"))) int64_t acrobat_l2_bytes() {
  return sysconf(_SC_LEVEL2_CACHE_SIZE);
}
extern "C" __attribute__((visibility("default"))) int64_t acrobat_l3_bytes() {
  return sysconf(_SC_LEVEL3_CACHE_SIZE);
}
"""

_USUAL_L2, _USUAL_L3 = 1 << 20, 16 << 20
_SAMPLES, _SAMPLE_NS = 7, 4e6


@dataclass(frozen=True, slots=True)
class Machine:
    """The peaks of `threads` threads together: multiply-adds in GF/s (each counts as two
    operations), and reading in GB/s from their own second-level caches, from the last level and
    from memory. Also the bytes of the two caches (for the second level, of one core)."""

    name: str
    threads: int
    gflops: float
    l2_gb_s: float
    l3_gb_s: float
    memory_gb_s: float
    l2_bytes: int
    l3_bytes: int

    def level(self, working_set: float) -> str:
        """Return where most of `working_set` bytes that are read repeatedly come from, at best:
        "L2" (each thread's holds a part), "L3" or "memory"."""
        if working_set <= self.l2_bytes * self.threads:
            return "L2"
        return "L3" if working_set <= self.l3_bytes else "memory"

    def gb_s(self, working_set: float) -> float:
        """Return the best rate at which they are read: whatever fits stays in the nearer caches."""
        near = min(1.0, self.l2_bytes * self.threads / max(working_set, 1.0))
        middle = max(min(1.0, self.l3_bytes / max(working_set, 1.0)) - near, 0.0)
        far = 1.0 - near - middle
        return 1 / (near / self.l2_gb_s + middle / self.l3_gb_s + far / self.memory_gb_s)


def measure_machine(threads: int, target: CpuTarget | None = None) -> Machine:
    """Measure the peaks of `threads` threads of this machine, in a few tenths of a second.
    ToolchainError if g++ fails."""
    target = target or host_target()
    library = _loops(target)
    l2, l3 = (
        found if found > 0 else usual
        for found, usual in (
            (library.acrobat_l2_bytes(), _USUAL_L2),
            (library.acrobat_l3_bytes(), _USUAL_L3),
        )
    )
    l3 = max(l3, 2 * l2)
    chains = 24 if target.registers > 16 else 12

    def multiply(_: int, times: int) -> float:
        return float(library.acrobat_multiply(times, 0.999, ctypes.byref(ctypes.c_float())))

    def rate(bytes_each: int) -> float:
        buffers = [_touched(bytes_each) for _ in range(threads)]

        def read(thread: int, times: int) -> float:
            given = ctypes.c_void_p(buffers[thread].ctypes.data)
            result = ctypes.byref(ctypes.c_float())
            return float(library.acrobat_read(given, buffers[thread].size, times, result))

        return _best(read, threads) * buffers[0].size * 4

    return Machine(
        name=target.model,
        threads=threads,
        gflops=_best(multiply, threads) * 2 * target.lanes * chains,
        l2_gb_s=rate(l2 // 2),
        l3_gb_s=rate(min(8 * l2, l3 // 2 // threads)),
        memory_gb_s=rate(min(4 * l3, 256 << 20) // threads),
        l2_bytes=l2,
        l3_bytes=l3,
    )


def _best(run: Callable[[int, int], float], threads: int) -> float:
    """Return the turns per nanosecond of all threads together; `run(thread, turns)` returns the
    nanoseconds of one thread. The best of several samples is the least disturbed one on a shared
    machine."""
    turns = max(1, round(_SAMPLE_NS / max(min(run(0, 1) for _ in range(3)), 1.0)))
    return max(_together(run, threads, turns) for _ in range(_SAMPLES))


def _together(run: Callable[[int, int], float], threads: int, turns: int) -> float:
    took = [0.0] * threads
    gate = threading.Barrier(threads)

    def work(thread: int) -> None:
        gate.wait()
        took[thread] = run(thread, turns)

    workers = [threading.Thread(target=work, args=(t,)) for t in range(1, threads)]
    for worker in workers:
        worker.start()
    work(0)
    for worker in workers:
        worker.join()
    return threads * turns / max(took)


def _touched(size: int) -> np.ndarray:
    """Return an array of about `size` bytes of floats, in whole vectors, with every page mapped."""
    buffer = aligned(max(size // 4 // 128, 1) * 128)
    buffer[:] = 1.0
    return buffer


def _loops(target: CpuTarget) -> ctypes.CDLL:
    defined = [f"-DLANES={target.lanes}", f"-DREGISTERS={target.registers}"]

    def make(path: Path) -> None:
        source = path.with_suffix(".cc")
        source.write_text(_LOOPS)
        arguments: list[str | Path] = ["-shared", "-ffp-contract=fast", *defined, source]
        run_compiler("the loops that measure the machine", arguments, path)

    key = content_hash([_LOOPS, *defined, *toolchain_key()])
    path, _ = cached_file("standalone", key, ".so", make)
    library = load_library(path, ctypes.CDLL)
    library.acrobat_multiply.argtypes = (ctypes.c_int64, ctypes.c_float, ctypes.c_void_p)
    library.acrobat_read.argtypes = (
        *(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64),
        ctypes.c_void_p,
    )
    for name in ("multiply", "read", "l2_bytes", "l3_bytes"):
        getattr(library, f"acrobat_{name}").restype = ctypes.c_int64
    return library
