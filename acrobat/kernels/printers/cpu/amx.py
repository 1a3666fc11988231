"""Whether this process may use the CPU's matrix unit (AMX). Linux grants it on request, once for a
process with all its threads, including existing ones, and the children that it forks: the unit's
registers are 8 KiB, which are then saved for every thread that uses them."""

from __future__ import annotations

import ctypes
import functools
import platform
from pathlib import Path

from .target import host_target

_FLAGS = {"amx_tile", "amx_bf16"}
# Linux on x86-64: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
_ARCH_PRCTL, _REQUEST, _TILE_DATA = 158, 0x1023, 18


def why_no_matrix_unit() -> str | None:
    """Why kernels cannot multiply bfloat16 in the matrix unit; None if they can, from now on."""
    if not _cpu_flags() >= _FLAGS:
        return "this CPU has no AMX"
    lanes = host_target().lanes
    if lanes < 16:
        return f"with AMX go vectors of 16 floats, not {lanes} (ACROBAT_LANES, or no AVX-512)"
    return None if _is_granted() else "Linux does not let this process use AMX"


@functools.cache
def _cpu_flags() -> frozenset[str]:
    info = Path("/proc/cpuinfo")
    if platform.machine() != "x86_64" or not info.exists():
        return frozenset()
    lines = info.read_text().splitlines()
    return frozenset(next((line for line in lines if line.startswith("flags")), "").split())


def _is_granted() -> bool:
    """Whether Linux grants the unit, asked each time: it refuses while there is a signal stack too
    small for the tiles, which some library may have and later give up."""
    request = ctypes.CDLL(None).syscall
    return int(request(_ARCH_PRCTL, _REQUEST, _TILE_DATA)) == 0
