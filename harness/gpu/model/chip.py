"""GPUs as the model sees them: what data sheets say, and constants that a probe measures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chip:
    """`processors` multiprocessors at `clock` GHz, each with four schedulers; one of these takes a
    warp's float32 multiply-add every `product_cycles` cycles. `l2_tb` TB/s from its L2 cache."""

    name: str
    arch: int
    processors: int
    clock: float
    product_cycles: int
    l2_tb: float


# Processors and clocks (boost): NVIDIA's white papers of Hopper, Ampere (GA100) and GA102. Of their
# L2 caches these have no figure in TB/s: 5120 bytes per cycle of an A100's, and the others' from
# what has been measured of them in public, rounded.
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
    """What no data sheet says. Times in microseconds.

    `issue`: share of cycles in which a scheduler that has one warp issues an instruction. `trip`: a
    load that another one waits for, from the L2 cache. `grid_barrier`: from the last store of a
    program to where the others have seen it. `launch`: from a kernel to the next in a stream,
    `early`: if that begins early (programmatic dependent launch). `host`: what a decision takes
    beside kernels: six calls of the driver, the copy of a table, and the host's waking; the value
    itself is stored by a kernel.
    `measured`: by a probe; otherwise they are assumed."""

    issue: float = 0.6
    trip: float = 0.37
    grid_barrier: float = 1.6
    launch: float = 2.0
    early: float = 1.0
    host: float = 11.5
    measured: bool = False

    def rate(self, warps: float) -> float:
        """Instructions per cycle of a scheduler that has so many warps. A full one loses some
        cycles, to conflicts of banks above all."""
        return min(0.9, max(1.0, warps) * self.issue)


def constants_of(probe: Path) -> Constants:
    """Those of a probe's file (harness.gpu.probe); what it has not stays assumed."""
    found = json.loads(probe.read_text())["constants"]
    assumed = Constants()
    values = {name: float(found.get(name, getattr(assumed, name))) for name in
              ("issue", "trip", "grid_barrier", "launch", "early", "host")}  # fmt: skip
    return Constants(**values, measured=True)
