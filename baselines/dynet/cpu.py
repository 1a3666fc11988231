"""Build DyNet and the driver for this machine's CPU.

The package DyNet 2.1.2 contains the whole C++ tree; Eigen's headers come from the package
`cmeel-eigen`, and on Intel's CPUs MKL from `mkl-static` (blas.py). It is a Release build with
`-march=native` (DyNet's own default) of only what the driver runs (cmake/library), which takes 3.3
minutes of one core instead of 10. Needs pip, g++, and cmake and ninja on the path or beside Python.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from acrobat.aot.toolchain import native_code
from acrobat.cache import cached_file, content_hash
from acrobat.errors import ToolchainError
from acrobat.kernels.printers.cpu.target import machine_target

from .blas import blas, cmake_flags, described, hashes
from .driver import DRIVER, built_files, driver_key
from .sources import DYNET, EIGEN, compiler, run, tool, unpack

RECIPES = Path(__file__).with_name("cmake")
DRIVER_FLAGS = ("-std=c++17", "-O2", "-march=native", "-DEIGEN_FAST_MATH")
CMAKE_FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DENABLE_BOOST=OFF",
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
)
# The flags that DyNet's own CMake file sets for a Release build.
RELEASE_FLAGS = "-Ofast -funroll-loops -march=native -DEIGEN_FAST_MATH"
# Ninja's line for a finished step: its number, the seconds since the start, and what was built.
_MARK = " s: "
_STATUS = f"%f of %t, %e{_MARK}"


def built() -> tuple[Path, Path] | None:
    """DyNet and the driver, if they have been built for this machine, compiler and sources. DyNet
    must be loaded first, because the driver refers to it by a name that is in no search path.
    ToolchainError if the environment variable names an unknown library (`blas`)."""
    blas()
    try:
        library, driver = _library_key(), _driver_key()
    except ToolchainError:  # Without a compiler, nothing can have been built.
        return None
    return built_files(library, driver)


def build(jobs: int, note: Callable[[str], None] = lambda _: None) -> Path:
    """Build DyNet and the driver; returns the driver's path. ToolchainError says what is missing or
    failed."""

    def library(path: Path) -> None:
        note(f"building DyNet ({described()}) with {jobs} jobs ...")
        with tempfile.TemporaryDirectory() as scratch:
            flags = [*CMAKE_FLAGS, *cmake_flags(Path(scratch))]
            out = _cmake("library", "dynet", flags, Path(scratch), jobs, note)
            shutil.copy(out / "dynet" / "dynet" / "libdynet.so", path)

    shared, hit = cached_file("dynet", _library_key(), ".so", library)
    note(f"DyNet: {'already there' if hit else 'built'}, {shared}")

    def driver(path: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            flags = [
                f"-DCMAKE_CXX_FLAGS={' '.join(DRIVER_FLAGS)}",
                f"-DDRIVER_SOURCE={DRIVER}",
                f"-DDYNET_LIBRARY={shared}",
            ]
            out = _cmake("driver", "driver", flags, Path(scratch), jobs, note)
            shutil.copy(out / "libdriver.so", path)

    path, hit = cached_file("dynet", _driver_key(), ".so", driver)
    note(f"driver: {'already there' if hit else 'built'}, {path}")
    return path


def _cmake(
    recipe: str,
    target: str,
    flags: list[str],
    scratch: Path,
    jobs: int,
    note: Callable[[str], None],
) -> Path:
    """Build a target of one of the recipes; returns the build folder, below `scratch`."""
    sources, out, ninja = unpack(scratch), scratch / "build", tool("ninja")
    configure = [tool("cmake"), "-GNinja", f"-DCMAKE_MAKE_PROGRAM={ninja}", *flags]
    configure += [f"-DCMAKE_CXX_COMPILER={tool('g++')}", f"-DDYNET_SOURCE={sources.dynet}"]
    configure += [f"-DEIGEN3_INCLUDE_DIR={sources.eigen}"]
    run([*configure, "-S", str(RECIPES / recipe), "-B", str(out)])

    def line(text: str) -> None:
        step, colon, what = text.partition(_MARK)
        if colon:
            note(f"{target}: {step} s, {what.rpartition('/')[2]}")

    run([ninja, "-C", str(out), f"-j{jobs}", target], line, {"NINJA_STATUS": _STATUS})
    return out


def _library_key() -> str:
    parts = [DYNET.sha256, EIGEN.sha256, machine_target().key, compiler(), *native_code()]
    return content_hash([*parts, *CMAKE_FLAGS, *hashes(), _recipe("library")])


def _driver_key() -> str:
    return content_hash([_library_key(), *DRIVER_FLAGS, driver_key(), _recipe("driver")])


def _recipe(name: str) -> str:
    return content_hash(p.read_text() for p in sorted((RECIPES / name).iterdir()))
