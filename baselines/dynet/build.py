"""Build DyNet natively, from its source package on PyPI, and our driver of it; once per machine.

    python -m baselines.dynet.build [--jobs N] [--cuda sm_90]

DyNet 2.1.2 holds the whole C++ tree; Eigen's headers come from the package `cmeel-eigen`, and on
Intel's CPUs MKL from `mkl-static` (blas.py). Release build, `-march=native` (its own default).
Takes about 3.5 minutes on two cores; the result lies in acrobat's cache, beside it the log. Needs
pip, cmake, ninja and g++. `--cuda` builds both for a GPU instead (cuda.py).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from acrobat.cache import cache_dir, cached_file, content_hash
from acrobat.errors import ToolchainError
from acrobat.kernels.cpu.target import host_target

from .blas import blas, cmake_flags, described, hashes
from .sources import DYNET, EIGEN, compiler, run, tool, unpack

DRIVER = Path(__file__).with_name("cpp")
DRIVER_FLAGS = ("-std=c++17", "-O2", "-march=native", "-fPIC", "-shared", "-DEIGEN_FAST_MATH")
CMAKE_FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DENABLE_BOOST=OFF",
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
)
# What DyNet's own CMake file makes of a Release build.
RELEASE_FLAGS = "-Ofast -funroll-loops -march=native -DEIGEN_FAST_MATH"


def built() -> tuple[Path, Path] | None:
    """DyNet and the driver, if they have been built for this machine, compiler and sources. DyNet
    is to be loaded first: the driver asks for it by a name that no search path knows.
    ToolchainError if the environment asks for a library that does not exist."""
    folder = cache_dir() / "dynet"
    blas()
    try:
        paths = folder / f"{_library_key()}.so", folder / f"{_driver_key()}.so"
    except ToolchainError:  # Without a compiler nothing has been built with it.
        return None
    return paths if all(p.exists() for p in paths) else None


def build(jobs: int, note: Callable[[str], None] = lambda _: None) -> Path:
    """DyNet and the driver; the driver's path. ToolchainError says what is missing or failed."""

    def library(path: Path) -> None:
        note(f"building DyNet ({described()}) with {jobs} jobs, about {7 // jobs + 1} minutes ...")
        with tempfile.TemporaryDirectory() as scratch:
            sources = unpack(Path(scratch))
            out = Path(scratch) / "build"
            configure = [tool("cmake"), "-GNinja", *CMAKE_FLAGS]
            configure += [f"-DCMAKE_CXX_COMPILER={tool('g++')}"]
            configure += [f"-DEIGEN3_INCLUDE_DIR={sources.eigen}"]
            configure += cmake_flags(Path(scratch))
            run([*configure, "-S", str(sources.dynet), "-B", str(out)])
            run([tool("ninja"), "-C", str(out), f"-j{jobs}", "dynet"])
            shutil.copy(out / "dynet" / "libdynet.so", path)

    shared, hit = cached_file("dynet", _library_key(), ".so", library)
    note(f"DyNet: {'already there' if hit else 'built'}, {shared}")

    def driver(path: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            sources = unpack(Path(scratch))
            includes = [f"-I{sources.dynet}", f"-I{sources.eigen}"]
            files = [str(p) for p in driver_files()]
            run([tool("g++"), *DRIVER_FLAGS, *includes, *files, str(shared), "-o", str(path)])

    path, hit = cached_file("dynet", _driver_key(), ".so", driver)
    note(f"driver: {'already there' if hit else 'built'}, {path}")
    return path


def driver_files() -> list[Path]:
    """What the driver is compiled from."""
    return sorted(DRIVER.glob("*.cc"))


def driver_key() -> str:
    """The hash of the driver's sources."""
    return content_hash(p.read_text() for p in sorted(DRIVER.iterdir()))


def _library_key() -> str:
    return content_hash(
        [DYNET.sha256, EIGEN.sha256, host_target().key, compiler(), *CMAKE_FLAGS, *hashes()],
    )


def _driver_key() -> str:
    return content_hash([_library_key(), *DRIVER_FLAGS, driver_key()])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build DyNet natively and its driver.")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cuda", metavar="ARCH", help="build for a GPU, such as sm_90")
    args = parser.parse_args()

    def note(line: str) -> None:
        print(line, file=sys.stderr)

    try:
        if args.cuda:
            from .cuda import build_cuda

            build_cuda(args.cuda, max(1, args.jobs), note)
        else:
            build(max(1, args.jobs), note)
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
