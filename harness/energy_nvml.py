"""The energy counter of a GPU's whole board: NVML, a library that comes with the driver.

Three of its functions are needed, so they are called as they are: no package, no installation on
the machine with the GPU.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

LIBRARY = "libnvidia-ml.so.1"


def board_counter(nvml: Any = None) -> Callable[[], float | None] | None:
    """Joules that the first board has used since its driver was loaded. None if there is no driver
    or no board; the counter gives None if the board has none (before Volta). `nvml` stands in for
    the library."""
    try:
        nvml = nvml or ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    board = ctypes.c_void_p()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(board)):
        return None

    def joules() -> float | None:
        used = ctypes.c_ulonglong()
        if nvml.nvmlDeviceGetTotalEnergyConsumption(board, ctypes.byref(used)):
            return None
        return used.value / 1e3

    return joules
