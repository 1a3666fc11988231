"""Build the generated program with g++ into a shared library, once per content."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

import numpy as np

from ..cache import cached_file, content_hash
from ..errors import ToolchainError
from ..kernels.cpu.target import host_target

INCLUDE = Path(__file__).resolve().parents[1] / "runtime" / "include"
FLAGS = (
    "-std=c++20",
    "-O2",
    "-march=native",
    "-fPIC",
    "-shared",
    "-pthread",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
)


@functools.cache
def find_compiler() -> tuple[str, str]:
    """Path and version line of g++; ToolchainError if there is none."""
    path = shutil.which("g++")
    if path is None:
        raise ToolchainError(
            "g++ is needed to compile a model's control flow and was not found; install it "
            "(Debian and Ubuntu: apt-get install g++)"
        )
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    return path, version.stdout.splitlines()[0]


@functools.cache
def python_include() -> Path:
    """The folder of Python.h; ToolchainError if it is not installed."""
    folder = Path(sysconfig.get_paths()["include"])
    if not (folder / "Python.h").is_file():
        raise ToolchainError(
            f"Python.h is needed to compile a model and is not in {folder}; install Python's "
            f"headers (Debian and Ubuntu: apt-get install python3-dev)"
        )
    return folder


def build_program(source: str, kernels: Path) -> tuple[Path, float]:
    """The shared library of a generated program linked with its kernels, and the seconds it took
    (0: cached)."""
    compiler, version = find_compiler()
    includes = [INCLUDE, python_include(), Path(np.get_include())]
    headers = [p.read_text() for p in sorted((INCLUDE / "acrobat").glob("*.h"))]
    key = content_hash(
        [
            version,
            host_target().key,
            np.__version__,
            *FLAGS,
            *headers,
            str(includes[1]),
            source,
            kernels.name,
        ]
    )

    def make(path: Path) -> None:
        text = path.with_suffix(".cc")
        text.write_text(source)
        command = [compiler, *FLAGS, *(f"-I{i}" for i in includes), str(text), str(kernels)]
        done = subprocess.run([*command, "-o", str(path)], capture_output=True, text=True)
        if done.returncode:
            raise ToolchainError(
                f"{compiler} failed on the generated program (exit code {done.returncode}):\n"
                f"{done.stderr[-4000:]}"
            )

    start = time.perf_counter()
    path, hit = cached_file("programs", key, ".so", make)
    return path, 0.0 if hit else time.perf_counter() - start
