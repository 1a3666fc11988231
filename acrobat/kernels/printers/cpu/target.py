"""What this CPU is, as far as the kernel template cares.

ACROBAT_LANES=8 (or 4) makes kernels for vectors of so many floats, as on a narrower machine: AVX2
on one with AVX-512, or 128 bits without fused multiply-add on either.
"""

from __future__ import annotations

import functools
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from ....errors import OptionError

# Features of x86 that LLVM may use in a kernel, and what Linux calls those that it calls otherwise.
_OTHERWISE = {
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "pclmul": "pclmulqdq",
    "prfchw": "3dnowprefetch",
    "sahf": "lahf_lm",
    "sha": "sha_ni",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512bitalg": "avx512_bitalg",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "avxvnni": "avx_vnni",
}
_FEATURES = (
    *("sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "fma", "f16c"),
    *("bmi", "bmi2", "lzcnt", "movbe", "popcnt", "sahf", "cx16", "adx", "prfchw"),
    *("aes", "vaes", "pclmul", "vpclmulqdq", "gfni", "sha", "avxvnni", "fma4", "xop", "tbm"),
    *("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx512ifma", "avx512vbmi"),
    *("avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq", "avx512bf16", "avx512fp16"),
)

# What a machine with vectors of so many floats does not have, by how the features begin.
_MISSING: dict[int, tuple[str, ...]] = {
    16: (),
    8: ("avx512",),
    4: ("avx", "fma", "f16c", "vaes", "vpclmulqdq", "xop"),
}


@dataclass(frozen=True, slots=True)
class CpuTarget:
    """`lanes` floats make a vector register, `registers` of them exist; `flags` are those of
    `_FEATURES` that the machine has, by LLVM's names."""

    model: str
    flags: tuple[str, ...]
    lanes: int
    registers: int
    design: str = ""

    @property
    def key(self) -> str:
        """What tells two machines apart in a cache shared by them. LLVM knows a CPU by its design:
        vendor, family, model, stepping."""
        return f"{platform.machine()} {self.model} {self.design} {' '.join(self.flags)}"

    @property
    def attributes(self) -> list[str]:
        """LLVM features to switch off because the machine (or its hypervisor) hides them, though
        its model name promises them."""
        if platform.machine() not in ("x86_64", "AMD64"):
            return []
        return [f"-{f}" for f in _FEATURES if f not in self.flags]


def host_target() -> CpuTarget:
    """What kernels are made for: the CPU this process runs on, or less of it, as ACROBAT_LANES
    says. OptionError if that is no number of floats, or more than it has."""
    machine, text = machine_target(), os.environ.get("ACROBAT_LANES", "")
    return _narrowed(machine, text) if text else machine


@functools.cache
def _narrowed(machine: CpuTarget, text: str) -> CpuTarget:
    allowed = [lanes for lanes in _MISSING if lanes <= machine.lanes]
    if text not in map(str, allowed):
        raise OptionError(
            f"ACROBAT_LANES={text!r}: this CPU has vectors of "
            f"{' or '.join(map(str, sorted(allowed)))} floats"
        )
    if int(text) == machine.lanes:
        return machine
    without = _MISSING[int(text)]
    flags = tuple(f for f in machine.flags if not f.startswith(without))
    return CpuTarget(machine.model, flags, int(text), 16, machine.design)


@functools.cache
def machine_target() -> CpuTarget:
    """The CPU this process runs on, all of it."""
    model, design, flags = platform.processor(), "", set[str]()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().split("\n\n")[0].splitlines()
        pairs = [line.split(":", 1) for line in lines if ":" in line]
        fields = {name.strip(): value.strip() for name, value in pairs}
        model = f"{fields.get('model name', model)} {fields.get('model', '')}"
        design = " ".join(fields.get(n, "") for n in ("vendor_id", "cpu family", "stepping"))
        flags = set(fields.get("flags", "").split())
    found = tuple(f for f in _FEATURES if _OTHERWISE.get(f, f) in flags)
    if {"avx512f", "avx512vl"} <= flags:
        return CpuTarget(model, found, 16, 32, design)
    if {"avx2", "fma"} <= flags:
        return CpuTarget(model, found, 8, 16, design)
    return CpuTarget(model, found, 4, 16, design)
