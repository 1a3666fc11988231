"""The model's view of GPUs: figures from data sheets, and constants that a probe measures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chip:
    """A GPU with `processors` multiprocessors at `clock` GHz, each with four schedulers; one issues
    a warp's float32 multiply-add every `product_cycles` cycles. `l2_tb` is the bandwidth of the L2
    cache in TB/s."""

    name: str
    arch: int
    processors: int
    clock: float
    product_cycles: int
    l2_tb: float


# Processors and boost clocks: NVIDIA's white papers on Hopper, Ampere (GA100) and GA102. They give
# no bandwidth of the L2 caches in TB/s: that of the A100 follows from 5120 bytes per cycle, and the
# others are rounded from published measurements.
CHIPS = {
    chip.name: chip
    for chip in (
        Chip("H100", 90, 132, 1.755, 1, 5.5),
        Chip("H200", 90, 132, 1.755, 1, 5.5),
        Chip("A100", 80, 108, 1.41, 2, 4.0),
        Chip("RTX 3070", 86, 46, 1.725, 1, 1.8),
    )
}


@dataclass(frozen=True, slots=True)
class Constants:
    """Constants that no data sheet gives. Times in microseconds.

    `issue`: share of cycles in which a scheduler with one warp issues an instruction. `trip`: the
    latency of a load from the L2 cache that another load depends on. `grid_barrier`: from the last
    store of a program until the others have seen it. `launch`: from one kernel to the next in a
    stream; `early`: the same if the next starts early (programmatic dependent launch). `host`: the
    time of a decision apart from kernels: six driver calls, the copy of a table, and waking the
    host; the value itself is stored by a kernel. `measured`: by a probe; otherwise the constants
    are assumed."""

    issue: float = 0.6
    trip: float = 0.37
    grid_barrier: float = 1.6
    launch: float = 2.0
    early: float = 1.0
    host: float = 11.5
    measured: bool = False

    def rate(self, warps: float) -> float:
        """Instructions per cycle of a scheduler with `warps` warps. Even a full one loses some
        cycles, mostly to bank conflicts."""
        return min(0.9, max(1.0, warps) * self.issue)


def constants_of(probe: Path) -> Constants:
    """The constants in a probe's file (harness.gpu.probe); missing ones keep the assumed value."""
    found = json.loads(probe.read_text())["constants"]
    assumed = Constants()
    values = {name: float(found.get(name, getattr(assumed, name))) for name in
              ("issue", "trip", "grid_barrier", "launch", "early", "host")}  # fmt: skip
    return Constants(**values, measured=True)
