"""The properties of this CPU that the kernel template depends on, for x86-64 and AArch64. Kernels
for any other architecture have vectors of 4 floats.

ACROBAT_LANES=8 (or 4) makes kernels for vectors of that many floats, as on a narrower machine: AVX2
on one with AVX-512, or 128 bits without fused multiply-add on either. AArch64 has 4.
"""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ....errors import OptionError

# Features that LLVM may use in a kernel, under LLVM's names (`_X86`, `_ARM`), and Linux's names of
# those that it names otherwise.
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
    "crc": "crc32",
    "lse": "atomics",
    "rdm": "asimdrdm",
    "rcpc": "lrcpc",
    "dotprod": "asimddp",
    "fullfp16": "asimdhp",
    "fp16fml": "asimdfhm",
    "jsconv": "jscvt",
    "complxnum": "fcma",
}
_X86 = (
    *("sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "fma", "f16c"),
    *("bmi", "bmi2", "lzcnt", "movbe", "popcnt", "sahf", "cx16", "adx", "prfchw"),
    *("aes", "vaes", "pclmul", "vpclmulqdq", "gfni", "sha", "avxvnni", "fma4", "xop", "tbm"),
    *("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx512ifma", "avx512vbmi"),
    *("avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq", "avx512bf16", "avx512fp16"),
)
# The features of AArch64 that not every machine has.
_ARM = (
    *("crc", "lse", "rdm", "rcpc", "dotprod", "fullfp16", "fp16fml", "jsconv", "complxnum"),
    *("aes", "sha2", "sha3", "sm4", "bf16", "i8mm", "sve", "sve2", "sme"),
)
_X86_64 = ("x86_64", "AMD64")

# The prefixes of the features that a machine with vectors of that many floats lacks.
_MISSING: dict[int, tuple[str, ...]] = {
    16: (),
    8: ("avx512",),
    4: ("avx", "fma", "f16c", "vaes", "vpclmulqdq", "xop"),
}


@dataclass(frozen=True, slots=True)
class CpuTarget:
    """A CPU with `registers` vector registers of `lanes` floats; `flags` are the features above
    that it has, under LLVM's names. `machine`: its architecture, as `platform.machine()` names
    it."""

    model: str
    flags: tuple[str, ...]
    lanes: int
    registers: int
    design: str = ""
    machine: str = field(default_factory=platform.machine)
    extra: tuple[str, ...] = ()  # features that a kernel needs, and most kernels do not

    @property
    def key(self) -> str:
        """A key that tells machines apart in a cache that they share. LLVM identifies a CPU by its
        design: vendor, family, model, stepping."""
        known = f"{self.machine} {self.model} {self.design} {' '.join(self.flags)}"
        return " ".join([known, *self.extra])

    @property
    def attributes(self) -> list[str]:
        """LLVM features to switch off because the machine (or its hypervisor) hides them, though
        its model name promises them; and the extra ones to switch on."""
        features = _X86 if self.machine in _X86_64 else _ARM if self.machine == "aarch64" else ()
        hidden = [f"-{f}" for f in features if f not in self.flags]
        return [*hidden, *(f"+{f}" for f in self.extra)]


def with_matrix_unit(target: CpuTarget) -> CpuTarget:
    """The same CPU, whose kernels may multiply tiles of bfloat16 (AMX)."""
    return replace(target, extra=("amx-tile", "amx-bf16"))


def host_target() -> CpuTarget:
    """The target of kernels: the CPU this process runs on, or a narrower one if ACROBAT_LANES is
    set. OptionError if that is not a width of vectors that the CPU has."""
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
    """The CPU this process runs on, whatever ACROBAT_LANES is."""
    info = Path("/proc/cpuinfo")
    return describe(platform.machine(), info.read_text() if info.exists() else "")


def describe(machine: str, cpuinfo: str) -> CpuTarget:
    """The CPU of architecture `machine` (as `platform.machine()` names it) that Linux describes by
    `cpuinfo`, the text of /proc/cpuinfo, of which the first CPU counts."""
    lines = cpuinfo.split("\n\n")[0].splitlines()
    pairs = [line.split(":", 1) for line in lines if ":" in line]
    fields = {name.strip(): value.strip() for name, value in pairs}
    return _arm(fields) if machine == "aarch64" else _other(machine, fields)


def _other(machine: str, fields: Mapping[str, str]) -> CpuTarget:
    """A CPU of x86-64, or one of which nothing is known except that it has vectors of 128 bits."""
    model = f"{fields.get('model name', platform.processor())} {fields.get('model', '')}"
    design = " ".join(fields.get(n, "") for n in ("vendor_id", "cpu family", "stepping"))
    flags = set(fields.get("flags", "").split())
    found = tuple(f for f in _X86 if _OTHERWISE.get(f, f) in flags)
    lanes, registers = 4, 16
    if {"avx512f", "avx512vl"} <= flags:
        lanes, registers = 16, 32
    elif {"avx2", "fma"} <= flags:
        lanes = 8
    return CpuTarget(model, found, lanes, registers, design, machine)


def _arm(fields: Mapping[str, str]) -> CpuTarget:
    """A CPU of AArch64, which always has 32 registers of 128 bits and fused multiply-add. Linux
    identifies a CPU by the numbers of its implementer and its part."""
    implementer, part = (fields.get(f"CPU {n}", "") for n in ("implementer", "part"))
    design = " ".join(fields.get(f"CPU {n}", "") for n in ("variant", "revision"))
    flags = set(fields.get("Features", "").split())
    found = tuple(f for f in _ARM if _OTHERWISE.get(f, f) in flags)
    model = f"AArch64 {implementer} {part}".strip()
    return CpuTarget(model, found, 4, 32, design, "aarch64")
