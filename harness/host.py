"""The machine of a row: its name, its processor, and the load from other processes."""

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

from acrobat.kernels.printers.cpu.import_tvm import import_tvm
from acrobat.kernels.printers.cpu.target import host_target

CPUFREQ = Path("/sys/devices/system/cpu")


def describe(load_before: float | None) -> dict[str, Any]:
    """The field `host` of a row before its system runs: `name`; `cpu`, the model's name and
    numbers, since hypervisors hide names; `design`, LLVM's name for such CPUs, if TVM is there to
    ask; `lanes`, floats in a vector register; `cores` that may be used; `governor` of their
    frequency; `memory_gib`; `load_before`; and `load_during`, not yet known."""
    return {
        "name": socket.gethostname(),
        "cpu": cpu_model(),
        "design": design(),
        "lanes": host_target().lanes,
        "cores": len(os.sched_getaffinity(0)),
        "governor": governor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_before": load_before,
        "load_during": None,
    }


def cpu_model(info: Path = Path("/proc/cpuinfo")) -> str:
    """The CPU's model, such as "AMD EPYC (family 25, model 1, stepping 1)"."""
    lines = info.read_text().split("\n\n")[0].splitlines() if info.exists() else []
    pairs = [line.split(":", 1) for line in lines if ":" in line]
    fields = {name.strip(): value.strip() for name, value in pairs}
    name = fields.get("model name") or platform.processor() or platform.machine()
    known = {"family": "cpu family", "model": "model", "stepping": "stepping"}
    numbers = [f"{title} {fields[key]}" for title, key in known.items() if key in fields]
    return f"{name} ({', '.join(numbers)})" if numbers else name


def design() -> str | None:
    """What LLVM calls this machine's CPU, such as "znver4"; None without TVM, which has LLVM."""
    try:
        name: str = import_tvm().target.codegen.llvm_get_system_cpu()
    except ImportError:
        return None
    return name


def governor(folder: Path = CPUFREQ) -> str:
    """The frequency governor of the CPUs that may be used, such as "performance"; "unknown" if the
    machine does not tell, like most virtual machines."""
    found = set()
    for cpu in os.sched_getaffinity(0):
        try:
            found.add((folder / f"cpu{cpu}" / "cpufreq" / "scaling_governor").read_text().strip())
        except OSError:
            found.add("unknown")
    return ", ".join(sorted(found))


class OtherLoad:
    """The load that other processes, and other virtual machines on the same hardware, put on the
    CPUs that we may use while we watched; the kernel counts in hundredths of a second."""

    def __init__(self) -> None:
        self._psutil = _psutil()
        self._others = self._could = 0.0
        self._start: tuple[float, float, float] | None = None

    def begin(self, ours: Sequence[int]) -> None:
        """Start watching; the processes `ours` do not count."""
        self._start = self._read(ours)

    def end(self, ours: Sequence[int]) -> None:
        """Stop watching."""
        now, start, self._start = self._read(ours), self._start, None
        if now is None or start is None:
            return
        wall, busy, own = (a - b for a, b in zip(now, start, strict=True))
        self._others += busy - own
        self._could += wall * len(os.sched_getaffinity(0))

    @property
    def share(self) -> float | None:
        """The share of these CPUs' time that others used, 0 to 1; None if unknown (no psutil)."""
        if self._could == 0:
            return None
        return round(min(1.0, max(0.0, self._others / self._could)), 3)

    def _read(self, ours: Sequence[int]) -> tuple[float, float, float] | None:
        """The clock, the CPU time used by all processes, and the CPU time used by us, in
        seconds."""
        if self._psutil is None:
            return None
        try:
            own = [self._psutil.Process(pid).cpu_times() for pid in ours]
        except self._psutil.Error:
            return None  # One of our processes has just died.
        cpus = self._psutil.cpu_times(percpu=True)
        mine = [cpus[i] for i in os.sched_getaffinity(0) if i < len(cpus)]
        # `user` already includes `guest`.
        names = ("user", "nice", "system", "irq", "softirq", "steal")
        busy = sum(getattr(cpu, name, 0.0) for cpu in mine for name in names)
        return time.perf_counter(), busy, sum(t.user + t.system for t in own)


def load_now(seconds: float = 0.2) -> float | None:
    """The share of the CPUs' time that is used at present; None if unknown."""
    load = OtherLoad()
    load.begin([])
    time.sleep(seconds)
    load.end([])
    return load.share


def _psutil() -> ModuleType | None:
    try:
        return importlib.import_module("psutil")
    except ImportError:  # A GPU machine without a network may lack it.
        return None
