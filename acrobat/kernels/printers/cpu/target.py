"""What this CPU is, as far as the kernel template cares."""

from __future__ import annotations

import functools
import platform
from dataclasses import dataclass
from pathlib import Path

# x86 flags that a kernel may come to depend on; part of every cache key.
_RELEVANT = ("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx2", "fma")


@dataclass(frozen=True, slots=True)
class CpuTarget:
    """`lanes` floats make a vector register, `registers` of them exist; `flags` are those of
    `_RELEVANT` that the machine has."""

    model: str
    flags: tuple[str, ...]
    lanes: int
    registers: int

    @property
    def key(self) -> str:
        """What tells two machines apart in a cache shared by them."""
        return f"{platform.machine()} {self.model} {' '.join(self.flags)}"

    @property
    def attributes(self) -> list[str]:
        """LLVM features to switch off because the machine (or its hypervisor) hides them, though
        its model name promises them."""
        if platform.machine() not in ("x86_64", "AMD64"):
            return []
        return [f"-{f}" for f in _RELEVANT if f not in self.flags]


@functools.cache
def host_target() -> CpuTarget:
    """The CPU this process runs on."""
    model, flags = platform.processor(), set[str]()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().split("\n\n")[0].splitlines()
        pairs = [line.split(":", 1) for line in lines if ":" in line]
        fields = {name.strip(): value.strip() for name, value in pairs}
        model = f"{fields.get('model name', model)} {fields.get('model', '')}"
        flags = set(fields.get("flags", "").split())
    found = tuple(f for f in _RELEVANT if f in flags)
    if {"avx512f", "avx512vl"} <= flags:
        return CpuTarget(model, found, 16, 32)
    if {"avx2", "fma"} <= flags:
        return CpuTarget(model, found, 8, 16)
    return CpuTarget(model, found, 4, 16)
