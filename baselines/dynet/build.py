"""Build DyNet natively, from its source package on PyPI, and our driver of it; once per machine.

    python -m baselines.dynet.build [--jobs N] [--cuda sm_90]

DyNet 2.1.2 holds the whole C++ tree; Eigen's headers come from the package `cmeel-eigen`, and on
Intel's CPUs MKL from `mkl-static` (blas.py). Release build, `-march=native` (its own default), of
what the driver runs (cmake/library): 3.3 minutes of one core instead of 10. The result lies in
acrobat's cache, beside it the log. Needs pip, g++, and cmake and ninja on the path or beside
Python. `--cuda` builds both for a GPU instead (cuda.py).
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
from acrobat.kernels.printers.cpu.target import host_target

from .blas import blas, cmake_flags, described, hashes
from .sources import DYNET, EIGEN, compiler, run, tool, unpack

DRIVER = Path(__file__).with_name("cpp")
RECIPES = Path(__file__).with_name("cmake")
DRIVER_FLAGS = ("-std=c++17", "-O2", "-march=native", "-DEIGEN_FAST_MATH")
CMAKE_FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DENABLE_BOOST=OFF",
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
)
# What DyNet's own CMake file makes of a Release build.
RELEASE_FLAGS = "-Ofast -funroll-loops -march=native -DEIGEN_FAST_MATH"
# Of memory, for one g++ on one of DyNet's units.
_JOB_BYTES = 1 << 30
# Ninja's line of a step that is done: its number, the seconds since the start, and what it was.
_MARK = " s: "
_STATUS = f"%f of %t, %e{_MARK}"


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
    """Builds a target of one of the recipes; the folder of what was built, below `scratch`."""
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


def driver_files() -> list[Path]:
    """What the driver is compiled from."""
    return sorted(DRIVER.glob("*.cc"))


def driver_key() -> str:
    """The hash of the driver's sources."""
    return content_hash(p.read_text() for p in sorted(DRIVER.iterdir()))


def _library_key() -> str:
    parts = [DYNET.sha256, EIGEN.sha256, host_target().key, compiler(), *CMAKE_FLAGS, *hashes()]
    return content_hash([*parts, _recipe("library")])


def _driver_key() -> str:
    return content_hash([_library_key(), *DRIVER_FLAGS, driver_key(), _recipe("driver")])


def _recipe(name: str) -> str:
    return content_hash(p.read_text() for p in sorted((RECIPES / name).iterdir()))


def _default_jobs() -> int:
    """One a core, as far as they fit into memory."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)), free // _JOB_BYTES))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build DyNet natively and its driver.")
    parser.add_argument("--jobs", type=int, default=_default_jobs())
    parser.add_argument("--cuda", metavar="ARCH", help="build for a GPU, such as sm_90")
    args = parser.parse_args()

    def note(line: str) -> None:
        """A line of its own; on a terminal a step's takes the place of the one before it."""
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    try:
        if args.cuda:
            from .cuda import build_cuda

            build_cuda(args.cuda, max(1, args.jobs), note)
        else:
            build(max(1, args.jobs), note)
    except ToolchainError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    print(file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
