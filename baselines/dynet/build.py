"""Build DyNet natively, from its source package on PyPI, and our driver of it; once per machine.

    python -m baselines.dynet.build [--jobs N]

DyNet 2.1.2 holds the whole C++ tree; Eigen's headers come from the package `cmeel-eigen`. Release
build, `-march=native` (its own default). Takes about 3.5 minutes on two cores; the result lies in
acrobat's cache, beside it the log. Needs pip, cmake, ninja and g++.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from acrobat.cache import cache_dir, cached_file, content_hash
from acrobat.errors import ToolchainError
from acrobat.kernels.cpu.target import host_target

DRIVER = Path(__file__).with_name("cpp")
DRIVER_FLAGS = ("-std=c++17", "-O2", "-march=native", "-fPIC", "-shared", "-DEIGEN_FAST_MATH")
CMAKE_FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DENABLE_BOOST=OFF",
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
)
# What DyNet's own CMake file makes of a Release build.
RELEASE_FLAGS = "-Ofast -funroll-loops -march=native -DEIGEN_FAST_MATH"


@dataclass(frozen=True, slots=True)
class Archive:
    """A package's file on PyPI."""

    requirement: str
    file: str
    sha256: str
    source: bool


DYNET = Archive(
    "dyNET==2.1.2",
    "dyNET-2.1.2.tar.gz",
    "c1c1de7cdd3a60b6c6491868b0e096b38b88d4ce14ef8bd065cb76bcd9f5a8b9",
    True,
)
EIGEN = Archive(
    "cmeel-eigen==3.4.1",
    "cmeel_eigen-3.4.1-0-py3-none-any.whl",
    "0ccd7b73fe8a72e2729784253c982e75d1790e0a8c71f302eb5a1fb1dd3a8a90",
    False,
)


def built() -> tuple[Path, Path] | None:
    """DyNet and the driver, if they have been built for this machine and these sources. DyNet is to
    be loaded first: the driver asks for it by a name that no search path knows."""
    folder = cache_dir() / "dynet"
    paths = folder / f"{_library_key()}.so", folder / f"{_driver_key()}.so"
    return paths if all(p.exists() for p in paths) else None


def build(jobs: int, note: Callable[[str], None] = lambda _: None) -> Path:
    """DyNet and the driver; the driver's path. ToolchainError says what is missing or failed."""

    def library(path: Path) -> None:
        note(f"building DyNet with {jobs} jobs, about {7 // jobs + 1} minutes ...")
        with tempfile.TemporaryDirectory() as scratch:
            sources = _unpack(Path(scratch))
            out = Path(scratch) / "build"
            eigen = f"-DEIGEN3_INCLUDE_DIR={_eigen(Path(scratch))}"
            configure = [_tool("cmake"), "-GNinja", *CMAKE_FLAGS, eigen]
            _run([*configure, "-S", str(sources), "-B", str(out)])
            _run([_tool("ninja"), "-C", str(out), f"-j{jobs}", "dynet"])
            shutil.copy(out / "dynet" / "libdynet.so", path)

    shared, hit = cached_file("dynet", _library_key(), ".so", library)
    note(f"DyNet: {'already there' if hit else 'built'}, {shared}")

    def driver(path: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            sources = _unpack(Path(scratch))
            includes = [f"-I{sources}", f"-I{_eigen(Path(scratch))}"]
            files = [str(p) for p in sorted(DRIVER.glob("*.cc"))]
            _run([_tool("g++"), *DRIVER_FLAGS, *includes, *files, str(shared), "-o", str(path)])

    path, hit = cached_file("dynet", _driver_key(), ".so", driver)
    note(f"driver: {'already there' if hit else 'built'}, {path}")
    return path


def _library_key() -> str:
    return content_hash([DYNET.sha256, EIGEN.sha256, host_target().key, *CMAKE_FLAGS])


def _driver_key() -> str:
    sources = [p.read_text() for p in sorted(DRIVER.iterdir())]
    return content_hash([_library_key(), *DRIVER_FLAGS, *sources])


def _unpack(folder: Path) -> Path:
    """The source trees of DyNet and Eigen below `folder`; DyNet's root."""
    for archive in (DYNET, EIGEN):
        file = _fetch(archive)
        if archive.source:
            with tarfile.open(file) as tar:
                tar.extractall(folder, filter="data")
        else:
            with zipfile.ZipFile(file) as wheel:
                wheel.extractall(folder / "eigen")
    return folder / "dyNET-2.1.2"


def _eigen(folder: Path) -> Path:
    (found,) = (folder / "eigen").rglob("Eigen/Core")
    return found.parents[1]


def _fetch(archive: Archive) -> Path:
    """The archive in the cache, from the package index; its hash is checked."""

    def download(path: Path) -> None:
        kind = ["--no-binary", ":all:", "--no-build-isolation"] if archive.source else []
        command = [sys.executable, "-m", "pip", "download", "--no-deps", *kind]
        with tempfile.TemporaryDirectory() as scratch:
            _run([*command, "--dest", scratch, archive.requirement])
            file = Path(scratch) / archive.file
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            if digest != archive.sha256:
                raise ToolchainError(
                    f"{archive.file} has the sha256 {digest}, expected {archive.sha256}; "
                    f"the package index serves another file"
                )
            shutil.copy(file, path)

    suffix = "".join(Path(archive.file).suffixes[-2:]) if archive.source else ".whl"
    path, _ = cached_file("dynet", archive.sha256[:24], suffix, download)
    return path


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise ToolchainError(
            f"{name} is needed to build DyNet and was not found; install it (Debian and Ubuntu: "
            f"apt-get install g++ cmake ninja-build), or measure the wheel's variants"
        )
    return path


def _run(command: Sequence[str]) -> None:
    log = cache_dir() / "dynet" / "build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as out:
        out.write(" ".join(command) + "\n")
        out.flush()
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT)
    if done.returncode:
        tail = log.read_text(errors="replace")[-2000:]
        raise ToolchainError(f"{command[0]} failed; the end of {log}:\n{tail}")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build DyNet natively and its driver.")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    try:
        build(max(1, args.jobs), lambda line: print(line, file=sys.stderr))
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
