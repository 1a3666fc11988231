"""Energy of a mini-batch, from the energy counter of a GPU's board or of a CPU's sockets.

A counter includes idle power and, on a CPU, everything else that the machine does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from .energy_nvml import board_counter
from .energy_rapl import socket_counter

# A board's counter advances every 20 to 100 ms, a socket's every millisecond.
LEAST_SECONDS = 0.6

# Joules since some fixed moment; None if the counter cannot be read.
Counter = Callable[[], float | None]

_COUNTERS = {"cuda": board_counter, "cpu": socket_counter}


def energy_per_run(
    run: Callable[[], object], device: str, seconds: float = LEAST_SECONDS
) -> float | None:
    """Joules per call of `run`, repeated for at least `seconds`; None if `device` has no readable
    counter."""
    counter = _COUNTERS[device]()
    return None if counter is None else measure(run, counter, seconds)


def measure(run: Callable[[], object], counter: Counter, seconds: float) -> float | None:
    """Joules per call of `run`, according to `counter`."""
    before = counter()
    if before is None:
        return None
    start, runs = time.perf_counter(), 0
    while runs == 0 or time.perf_counter() - start < seconds:
        run()
        runs += 1
    after = counter()
    return None if after is None else (after - before) / runs
