"""Energy of a mini-batch on a GPU, from the counter of the whole board (NVML)."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

# The counter moves every 20 to 100 ms.
LEAST_SECONDS = 0.6


def energy_per_run(
    run: Callable[[], object], seconds: float = LEAST_SECONDS, nvml: Any = None
) -> float | None:
    """Joules per call of `run`, repeated for at least `seconds`: the board's, idle power included.
    None if the package nvidia-ml-py is not there or the GPU has no counter. `nvml` stands in for
    the package."""
    try:
        nvml = nvml or importlib.import_module("pynvml")
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
        board = nvml.nvmlDeviceGetHandleByIndex(0)
        before = nvml.nvmlDeviceGetTotalEnergyConsumption(board)
        start, runs = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            run()
            runs += 1
        after = nvml.nvmlDeviceGetTotalEnergyConsumption(board)
    except nvml.NVMLError:
        return None
    return float(after - before) / 1e3 / runs
