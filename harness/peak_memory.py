"""The largest resident memory of this process within a stretch of its life."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path


def forget_peak() -> None:
    """Let the kernel count anew from here on, where it can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_mib() -> float:
    """The largest since then; of all its life where the kernel does not tell."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(x for x in lines if x.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
