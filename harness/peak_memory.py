"""The peak resident memory of this process during a period of its life."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path


def forget_peak() -> None:
    """Reset the kernel's record of peak memory, where possible."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_mib() -> float:
    """The peak in MiB since `forget_peak`, or of the whole process if the kernel does not tell."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(x for x in lines if x.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
