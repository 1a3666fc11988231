"""The library that computes DyNet's matrix products: Eigen itself, or Eigen with Intel's MKL.

On Intel's CPUs DyNet with MKL is faster in every cell measured: 1.07 to 1.64 times, 1.3 in the
geometric mean (docs/baselines.md). On an AMD EPYC (Zen 5) it takes 1.5 times as long.
`ACROBAT_DYNET_BLAS` (eigen, mkl) overrides the choice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from acrobat.errors import ToolchainError
from acrobat.kernels.printers.cpu.target import host_target

from .sources import MKL, MKL_HEADERS, unpack_members

Blas = Literal["eigen", "mkl"]
CHOICE = "ACROBAT_DYNET_BLAS"

_LIBRARIES = ("libmkl_intel_lp64.a", "libmkl_sequential.a", "libmkl_core.a")


def blas() -> Blas:
    """The library for this machine; ToolchainError if the environment variable names another."""
    match os.environ.get(CHOICE) or None:
        case "eigen":
            return "eigen"
        case "mkl":
            return "mkl"
        case None:
            return "mkl" if "Intel" in host_target().model else "eigen"
        case other:
            raise ToolchainError(f"{CHOICE}={other!r}: write 'eigen' or 'mkl', or leave it out")


def described() -> str:
    """The library and its version, for a row."""
    return MKL.requirement.replace("-static==", " ") if blas() == "mkl" else "Eigen's products"


def hashes() -> Sequence[str]:
    """The hashes of the archives that the library adds to the build."""
    return [MKL.sha256, MKL_HEADERS.sha256] if blas() == "mkl" else []


def cmake_flags(folder: Path) -> list[str]:
    """The options that the library adds to DyNet's CMake command; its files go below `folder`."""
    if blas() == "eigen":
        return []
    headers = unpack_members(MKL_HEADERS, folder / "mkl", (".h",))
    found = {p.name: str(p) for p in unpack_members(MKL, folder / "mkl", _LIBRARIES)}
    (include,) = {str(p.parent) for p in headers if p.name == "mkl.h"}
    libraries = " ".join(found[name] for name in _LIBRARIES)
    link = f"-Wl,--start-group {libraries} -Wl,--end-group -lpthread -lm -ldl"
    return [
        f"-DCMAKE_CXX_FLAGS=-DEIGEN_USE_MKL_ALL -I{include}",
        f"-DCMAKE_CXX_STANDARD_LIBRARIES={link}",
    ]
