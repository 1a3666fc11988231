"""Measure the cycle model's constants on a GPU: `python -m harness.gpu.probe --out F`.

Measures launches (plain, early and cooperative), grid barriers, a trip to the L2 cache, the time of
a decision, and every kernel variant of the TreeLSTM and BiRNN cells at several batch sizes, timed
by events. `python -m harness.gpu.predict --probe` reads the file.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from acrobat.errors import DeviceError
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.emit import EARLY_ARCH
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.runtime.gpu import find_gpu

from .cells import arguments_of, cell_kernels
from .driver import CLOCK_KHZ, PROCESSORS, Driver
from .model.tile_cost import costs
from .probe_kernels import BARRIER, CHASE, EARLY, EMPTY, STORE

PROGRAMS: tuple[int, ...] = (32, 66, 132, 264)  # at a grid barrier; no more than fit at once
NODES: tuple[int, ...] = (1, 2, 7, 16, 64, 136, 302, 1000)
_THREADS = 128
_ROUNDS = 1000  # grid barriers per launch
_ROW = 200  # kernels in a row
_TABLE = 4096  # floats: the size of a typical computation's table of steps
_LINKS, _STRIDE = 4096, 1031  # of the linked list: it fits the L2 cache, with a line per link
# The issue rate is derived from this kernel: one of its programs takes some ten thousand cycles and
# has one warp per scheduler.
_JUDGE, _WARPS = "concat_linear_sigmoid_k0", 4


def launches(driver: Driver, arch: int) -> dict[str, float]:
    """Microseconds from an empty kernel to the next in a stream, for plain and cooperative launches
    and, from sm_90 on, for kernels that start early."""
    empty, one = driver.load(EMPTY, "probe_empty"), (1, 1)
    gap = driver.time(lambda: driver.launch(empty, one, _THREADS, ()), 200)
    together = driver.time(lambda: driver.launch(empty, one, _THREADS, (), together=True), 200)
    found = {"launch": gap, "cooperative": together}
    if arch >= EARLY_ARCH:
        early = driver.load(EARLY, "probe_early")

        def in_a_row() -> None:
            driver.launch(early, one, _THREADS, ())
            for _ in range(_ROW - 1):
                driver.launch_early(early, _THREADS)

        found["early"] = driver.time(in_a_row) / _ROW
    return found


def decision(driver: Driver) -> float:
    """Microseconds by the host's clock of the run-time's work for a decision: send a table, launch
    a kernel between two events that stores a value in page-locked memory, and wait. DeviceError if
    the value has not arrived by then."""
    store = driver.load(STORE, "probe_store")
    table, _ = driver.shared_with_host(_TABLE)
    value, address = driver.shared_with_host(1)
    there = driver.place(np.zeros(_TABLE, np.float32))
    parameters = (ctypes.c_uint64(there), ctypes.c_uint64(address))
    took = []
    for n in range(50):
        table[:] = n
        begin = time.perf_counter()
        driver.send(there, table)
        driver.mark(0)
        driver.launch(store, (1, 1), 32, parameters)
        driver.mark(1)
        driver.wait()
        took.append(1e6 * (time.perf_counter() - begin))
        if value[0] != n:
            raise DeviceError(f"a kernel stored {n} in page-locked memory; there is {value[0]}")
    return median(took)


def grid_barriers(driver: Driver) -> dict[str, float]:
    """Microseconds of one grid barrier for each number of programs that needs no more than two per
    multiprocessor."""
    function, counter = driver.load(BARRIER, "probe_barrier"), driver.place(np.zeros(2, np.int64))
    most, counted, found = 2 * driver.attribute(PROCESSORS), 0, {}

    def wait_together(n: int) -> None:
        nonlocal counted
        parameters = (ctypes.c_uint64(counter), ctypes.c_uint64(counted), ctypes.c_uint32(_ROUNDS))
        driver.launch(function, (n, 1), _THREADS, parameters, together=True)
        counted += n * _ROUNDS

    for n in PROGRAMS:
        if n <= most:
            found[str(n)] = driver.time(functools.partial(wait_together, n)) / _ROUNDS
    return found


def trip(driver: Driver) -> float:
    """Microseconds of a load from the L2 cache that depends on the previous load."""
    links = np.zeros(16 * _LINKS, np.int64)  # a link per line
    address, to = driver.place(links), driver.place(np.zeros(2, np.int64))
    at = np.arange(_LINKS)
    links[16 * (at * _STRIDE % _LINKS)] = address + 128 * ((at + 1) * _STRIDE % _LINKS)
    first = driver.place_at(address, links)
    function = driver.load(CHASE, "probe_chase")
    parameters = (ctypes.c_uint64(first), ctypes.c_uint32(_LINKS), ctypes.c_uint64(to))
    return driver.time(lambda: driver.launch(function, (1, 1), 32, parameters)) / _LINKS


def cells(driver: Driver, arch: int) -> list[dict[str, object]]:
    """Microseconds of every kernel variant of the cells for each number in `NODES`."""
    found: list[dict[str, object]] = []
    for workload, specs in cell_kernels().items():
        built = build_cuda_kernels(specs, arch)
        for spec in specs:
            for v in built.kernels[spec.name].variants:
                function = driver.load(v.cubin, v.symbol, v.shared)
                for n in NODES:
                    arguments = arguments_of(driver, spec, built.kernels[spec.name], n)
                    grid = v.grid(n, spec.rows, spec.shares_tiles)

                    def run(
                        f: ctypes.c_void_p = function,
                        g: tuple[int, int] = grid,
                        a: Sequence[ctypes._SimpleCData[int]] = arguments,
                        threads: int = 32 * v.warps,
                        shared: int = v.shared,
                    ) -> None:
                        driver.launch(f, g, threads, a, shared)

                    found.append({
                        "workload": workload, "kernel": spec.name, "rows": v.tile_rows,
                        "warps": v.warps, "nodes": n, "us": driver.time(run, 20, 5),
                    })  # fmt: skip
    return found


def issue(
    measured: Sequence[dict[str, object]],
    specs: Sequence[KernelSpec],
    arch: int,
    clock_ghz: float,
    known: dict[str, float],
) -> float:
    """The share of cycles in which a scheduler with one warp issues, derived from the largest tile
    of the TreeLSTM cell, alone on its multiprocessor."""
    tiles = costs(list(specs), arch, False).tiles[_JUDGE]
    tile = max((t for t in tiles if t.warps == _WARPS), key=lambda t: t.instructions)
    rows = tile.variant.tile_rows
    [took] = [
        float(str(m["us"])) for m in measured
        if (m["kernel"], m["rows"], m["nodes"]) == (_JUDGE, rows, 16)
    ]  # fmt: skip
    left = took - known["launch"] - 2 * known["trip"]
    return float(np.clip(tile.instructions / (1e3 * clock_ghz * max(left, 1e-3)), 0.05, 1.0))


def probe(driver: Driver, arch: int) -> dict[str, object]:
    """Measure everything; `constants` in the result are the model's inputs."""
    found = launches(driver, arch)
    barriers = grid_barriers(driver)
    constants = {
        "launch": found["launch"],
        "early": found.get("early", found["launch"]),
        "host": decision(driver),
        "trip": trip(driver),
        # 132 programs match the tiles of a typical batch; otherwise take the longest measured.
        "grid_barrier": barriers.get("132", max(barriers.values())),
    }
    measured = cells(driver, arch)
    clock = driver.attribute(CLOCK_KHZ) / 1e6
    constants["issue"] = issue(measured, cell_kernels()["treelstm"], arch, clock, constants)
    return {
        "constants": constants, "cooperative": found["cooperative"], "grid_barriers": barriers,
        "clock_ghz": clock, "processors": driver.attribute(PROCESSORS), "cells": measured,
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 without a GPU."""
    parser = argparse.ArgumentParser(prog="harness.gpu.probe", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    args = parser.parse_args(argv)
    try:
        gpu = find_gpu()
        found = {"gpu": gpu.name, "arch": gpu.arch, **probe(Driver(), gpu.arch)}
    except DeviceError as error:
        print(f"harness.gpu.probe: {error}")
        return 2
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(found, indent=1) + "\n")
    shown = ("gpu", "constants", "grid_barriers")
    print(json.dumps({name: found[name] for name in shown}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
