"""Resource limits of a worker while the parent waits for its answer."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
# Fraction of the machine's memory reserved for other processes.
_RESERVE = 0.05
# Bytes printed to standard error, of which only the last lines are read.
_MOST_PRINTED = 256 << 20


def broken_limit(pid: int, memory: int, printed: int) -> tuple[str, str] | None:
    """The row's status and reason if the process uses more than `memory` bytes, or if it `printed`
    too many bytes."""
    used = _resident(pid)
    if used > memory:
        return "oom", f"ended at {_gib(used)} of memory; {_gib(memory)} were free"
    if printed > _MOST_PRINTED:
        return "error", f"ended for printing more than {_MOST_PRINTED >> 20} MiB"
    return None


def most_memory() -> int:
    """Bytes that a process may use now: the free memory, or the rest of the control group's limit,
    less a reserve. Virtual memory is not limited: arenas are mapped long before they are used."""
    total = free = os.sysconf("SC_PHYS_PAGES") * _PAGE
    info = Path("/proc/meminfo")
    if info.exists():
        lines = dict(line.split(":") for line in info.read_text().splitlines())
        free = int(lines["MemAvailable"].split()[0]) << 10
    for limit, usage in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            most = int(Path("/sys/fs/cgroup", limit).read_text())
            free = min(free, most - int(Path("/sys/fs/cgroup", usage).read_text()))
        except (OSError, ValueError):
            continue  # This version of control groups is absent, or there is no limit ("max").
    return max(0, free - int(_RESERVE * total))


def die_first() -> None:
    """Make this process the first that the kernel kills if memory runs out nevertheless."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0  # The process has ended, or the system has no /proc.


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
