"""The energy counter of a GPU's whole board, by NVML (the package nvidia-ml-py)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def board_counter(nvml: Any = None) -> Callable[[], float | None] | None:
    """A counter of the joules that the first board has used since its driver was loaded. None if
    the package, the driver or a board is missing; the counter returns None if the board does not
    count energy (before Volta). `nvml` stands in for the package."""
    try:
        nvml = nvml or importlib.import_module("pynvml")
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
        board = nvml.nvmlDeviceGetHandleByIndex(0)
    except nvml.NVMLError:
        return None

    def joules() -> float | None:
        try:
            return float(nvml.nvmlDeviceGetTotalEnergyConsumption(board)) / 1e3
        except nvml.NVMLError:
            return None

    return joules
