"""The machine of a row: its name, its processor, and what other processes did beside it."""

from __future__ import annotations

import importlib
import os
import platform
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from acrobat.kernels.printers.cpu.target import host_target

CPUFREQ = Path("/sys/devices/system/cpu")


def describe(load_before: float | None) -> dict[str, Any]:
    """What a row's `host` has before its system runs: `name`; `cpu`, the model with its numbers,
    for hypervisors hide names; `lanes`, floats in a vector register; `cores` that may be used;
    `governor` of their frequency; `memory_gib`; `load_before`, and `load_during`, not known yet."""
    return {
        "name": socket.gethostname(),
        "cpu": cpu_model(),
        "lanes": host_target().lanes,
        "cores": len(os.sched_getaffinity(0)),
        "governor": governor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_before": load_before,
        "load_during": None,
    }


def cpu_model(info: Path = Path("/proc/cpuinfo")) -> str:
    """Such as "AMD EPYC (family 25, model 1, stepping 1)"."""
    lines = info.read_text().split("\n\n")[0].splitlines() if info.exists() else []
    pairs = [line.split(":", 1) for line in lines if ":" in line]
    fields = {name.strip(): value.strip() for name, value in pairs}
    name = fields.get("model name") or platform.processor() or platform.machine()
    known = {"family": "cpu family", "model": "model", "stepping": "stepping"}
    numbers = [f"{title} {fields[key]}" for title, key in known.items() if key in fields]
    return f"{name} ({', '.join(numbers)})" if numbers else name


def governor(folder: Path = CPUFREQ) -> str:
    """Who sets the frequency of the CPUs that may be used ("performance"); "unknown" where the
    machine does not say, as most virtual ones."""
    found = set()
    for cpu in os.sched_getaffinity(0):
        try:
            found.add((folder / f"cpu{cpu}" / "cpufreq" / "scaling_governor").read_text().strip())
        except OSError:
            found.add("unknown")
    return ", ".join(sorted(found))


class OtherLoad:
    """How much of the CPUs that we may use other processes, and other virtual machines on the same
    hardware, used while we watched; the kernel counts in hundredths of a second."""

    def __init__(self) -> None:
        self._psutil = _psutil()
        self._others = self._could = 0.0
        self._start: tuple[float, float, float] | None = None

    def begin(self, ours: Sequence[int]) -> None:
        """Watch from now; `ours` are the processes that do not count."""
        self._start = self._read(ours)

    def end(self, ours: Sequence[int]) -> None:
        """Until now."""
        now, start, self._start = self._read(ours), self._start, None
        if now is None or start is None:
            return
        wall, busy, own = (a - b for a, b in zip(now, start, strict=True))
        self._others += busy - own
        self._could += wall * len(os.sched_getaffinity(0))

    @property
    def share(self) -> float | None:
        """Of these CPUs' time, 0 to 1; None if that is not known (psutil is not installed)."""
        if self._could == 0:
            return None
        return round(min(1.0, max(0.0, self._others / self._could)), 3)

    def _read(self, ours: Sequence[int]) -> tuple[float, float, float] | None:
        """The clock, the time that all used, and the time that we used; in seconds."""
        if self._psutil is None:
            return None
        try:
            own = [self._psutil.Process(pid).cpu_times() for pid in ours]
        except self._psutil.Error:
            return None  # One of us has just died.
        cpus = self._psutil.cpu_times(percpu=True)
        mine = [cpus[i] for i in os.sched_getaffinity(0) if i < len(cpus)]
        # `user` has `guest` in it already.
        names = ("user", "nice", "system", "irq", "softirq", "steal")
        busy = sum(getattr(cpu, name, 0.0) for cpu in mine for name in names)
        return time.perf_counter(), busy, sum(t.user + t.system for t in own)


def load_now(seconds: float = 0.2) -> float | None:
    """The share of the CPUs' time that is used just now; None if that is not known."""
    load = OtherLoad()
    load.begin([])
    time.sleep(seconds)
    load.end([])
    return load.share


def _psutil() -> ModuleType | None:
    try:
        return importlib.import_module("psutil")
    except ImportError:  # A machine with a GPU and no network may lack it.
        return None
