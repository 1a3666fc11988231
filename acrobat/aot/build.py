"""Build programs with g++, once per content: the runtime into an object file, and every generated
program, linked with it, into a shared library.

The runtime takes longest and needs nothing of the model: `RuntimeBuild` compiles its sources in
parallel, in the background of what else there is to do. So it does with a precompiled header of
what every generated program includes, which is most of a program's compile time.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..cache import cached_file, content_hash, is_cached
from ..errors import ToolchainError
from ..kernels.printers.cpu.target import host_target
from ..log import announce, logger, stage

RUNTIME = Path(__file__).resolve().parents[1] / "runtime"
INCLUDE, SOURCES = RUNTIME / "include", RUNTIME / "src"
FLAGS = (
    "-std=c++20",
    "-O2",
    "-march=native",
    "-fPIC",
    "-pthread",
    "-fvisibility=hidden",
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


@dataclass(frozen=True, slots=True)
class RuntimeSources:
    """What a generated program is linked with: `sources` are compiled once for all programs;
    `include` are folders of headers besides those of `acrobat/runtime`."""

    sources: tuple[Path, ...] = tuple(sorted(SOURCES.glob("*.cc")))
    include: tuple[Path, ...] = ()

    @property
    def text(self) -> list[str]:
        """Everything that is compiled from here, for a cache key."""
        headers = (h for folder in self.include for h in sorted(folder.glob("*.h")))
        return [p.read_text() for p in (*self.sources, *headers)]


# What every program needs, whatever runs its batches.
COMMON = (SOURCES / "context.cc", SOURCES / "memory.cc", SOURCES / "signals.cc")
CUDA_RESULTS = SOURCES / "cuda" / "results.cc"
CUDA_RUNTIME = RuntimeSources((*COMMON, SOURCES / "cuda" / "program.cc", CUDA_RESULTS))


class RuntimeBuild:
    """What all programs have in common: the runtime's object file and the precompiled header, on
    their way if the cache has none. The first program of all waits for the runtime, with all cores
    busy, and gains nothing from the header: the second one makes it."""

    def __init__(self, runtime: RuntimeSources | None = None) -> None:
        """`runtime`: our own for the CPU by default. ToolchainError without g++ or Python.h."""
        self.sources = runtime or RuntimeSources()
        basis = _everything_else()
        self._key = content_hash([*basis, *self.sources.text])
        pool = ThreadPoolExecutor(2, "acrobat-runtime")
        first = not is_cached("programs", self._key, ".o")
        self._made = pool.submit(cached_file, "programs", self._key, ".o", self._make)
        self._header = None if first else pool.submit(_precompile, content_hash(basis))
        # If there turns out to be no use for it now, it is there for the next program.
        pool.shutdown(wait=False)

    def object(self) -> Path:
        """The file, once it is there. ToolchainError if g++ fails on it."""
        return self._made.result()[0]

    def precompiled(self) -> tuple[str | Path, ...]:
        """The flags by which g++ takes the precompiled header; none if it could not be made, which
        costs time and nothing else, or if the runtime was not there yet."""
        if self._header is None:
            return ()
        try:
            return ("-include", self._header.result())
        except ToolchainError as error:
            logger.warning("there is no precompiled header: %s", error)
            return ()

    def _make(self, path: Path) -> None:
        announce("compiling the run-time library for this machine, once (about 10 s)")
        with stage("run-time library"), ThreadPoolExecutor() as pool:
            parts = [path.with_name(f"{s.stem}.o") for s in self.sources.sources]
            list(pool.map(self._compile, self.sources.sources, parts))
            _compile("the runtime", ["-r", *parts], path, ())

    def _compile(self, source: Path, path: Path) -> None:
        # What everything waits for is the device's program, which takes longest: the small ones
        # leave the cores to it and to what else is compiled.
        last = source in COMMON
        _compile("the runtime", ["-c", source], path, self.sources.include, niceness=10 * last)


def build_program(
    source: str, kernels: Sequence[Path], runtime: RuntimeBuild | None = None
) -> tuple[Path, float]:
    """The shared library of a generated program linked with the object files of its kernels, if
    it has any, and the runtime (default: our own for the CPU), and the seconds it took (0:
    cached)."""
    runtime = runtime or RuntimeBuild()
    sources = runtime.sources
    key = content_hash([*_everything_else(), *sources.text, source, *(k.name for k in kernels)])

    def make(path: Path) -> None:
        text = path.with_suffix(".cc")
        text.write_text(source)
        with stage("generated program"):
            part = path.with_suffix(".o")
            arguments = [*runtime.precompiled(), "-fstack-usage", "-c", text]
            _compile("the generated program", arguments, part, sources.include)
        frame = path.with_suffix(".s")
        frame.write_text(_FRAME_BYTES.format(_largest_frame(part.with_suffix(".su"))))
        link: list[str | Path] = ["-shared", part, frame, runtime.object(), *kernels]
        _compile("the generated program", link, path, ())

    start = time.perf_counter()
    path, hit = cached_file("programs", key, ".so", make)
    return path, 0.0 if hit else time.perf_counter() - start


# What the run-time has to know of a program's frames (runtime/include/acrobat/fibers/stack.h).
_FRAME_BYTES = """\
.section .rodata
.balign 8
.globl acrobat_frame_bytes
.hidden acrobat_frame_bytes
acrobat_frame_bytes: .quad {}
.section .note.GNU-stack,"",@progbits
"""


def _largest_frame(report: Path) -> int:
    """Of the functions that g++ has reported on: place and name, bytes, kind."""
    return max(int(line.split("\t")[1]) for line in report.read_text().splitlines())


def _precompile(key: str) -> Path:
    """A header that includes what every generated program includes; beside it lies its precompiled
    form, which g++ takes instead. g++ checks that this was made with the same flags, but not that
    it was made of the same headers: `key` has to say both."""
    text = "#include <acrobat/generated.h>\n"
    header, _ = cached_file("headers", key, ".h", lambda path: _write(path, text))

    def make(path: Path) -> None:
        with stage("precompiled header"):
            _compile("the precompiled header", ["-x", "c++-header", header], path, ())

    cached_file("headers", key, ".h.gch", make)
    return header


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def _everything_else() -> list[str]:
    """What a compiled file depends on besides its own text."""
    _, version = find_compiler()
    headers = [p.read_text() for p in sorted((INCLUDE / "acrobat").rglob("*.h"))]
    return [version, host_target().key, np.__version__, *_flags(), str(python_include()), *headers]


def _flags() -> tuple[str, ...]:
    """Of every compilation; ACROBAT_CXXFLAGS adds some, such as those of a sanitizer."""
    return (*FLAGS, *os.environ.get("ACROBAT_CXXFLAGS", "").split())


def _compile(
    what: str,
    arguments: Sequence[str | Path],
    path: Path,
    include: Sequence[Path],
    niceness: int = 0,
) -> None:
    compiler, _ = find_compiler()
    includes = [f"-I{i}" for i in (*include, INCLUDE, python_include(), np.get_include())]
    command = [compiler, *_flags(), *includes, *map(str, arguments), "-o", str(path)]
    if niceness and shutil.which("nice"):
        command = ["nice", "-n", str(niceness), *command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ToolchainError(
            f"{compiler} failed on {what} (exit code {done.returncode}):\n{done.stderr[-4000:]}"
        )
