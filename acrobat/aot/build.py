"""Build programs with g++, once per content: the runtime into an object file, and every generated
program, linked with it, into a shared library.

The runtime takes longest and needs nothing of the model: `RuntimeBuild` compiles its sources in
parallel, in the background. It also precompiles the header that every generated program includes,
which is most of a program's compile time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ..background import Background, each
from ..cache import cached_file, content_hash, is_cached, scratch_folder, verified
from ..errors import AcrobatError
from ..log import announce, logger, stage
from .toolchain import python_include, run_compiler, toolchain_key

RUNTIME = Path(__file__).resolve().parents[1] / "runtime"
INCLUDE, SOURCES = RUNTIME / "include", RUNTIME / "src"


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
_EVERYWHERE = ("context", "lists", "mathematics", "memo", "memory", "signals")
COMMON = tuple(SOURCES / f"{name}.cc" for name in _EVERYWHERE)
CUDA_RESULTS = SOURCES / "cuda" / "results.cc"
CUDA_RUNTIME = RuntimeSources((*COMMON, SOURCES / "cuda" / "program.cc", CUDA_RESULTS))


class RuntimeBuild:
    """What all programs have in common: the runtime's object file and the precompiled header, on
    their way if the cache has none. The first program of all waits for the runtime, with all cores
    busy, and gains nothing from the header: the second one makes it."""

    def __init__(self, runtime: RuntimeSources | None = None) -> None:
        """`runtime`: our own for the CPU by default. ToolchainError without g++ or Python.h."""
        self.sources = runtime or RuntimeSources()
        self._basis = basis = _everything_else()
        self._key = content_hash([*basis, *self.sources.text])
        first = not is_cached("programs", self._key, ".o")
        self._made = Background(partial(_file, "programs", self._key, ".o", self._make))
        # If there turns out to be no use for it now, it is there for the next program.
        self._header = None if first else Background(partial(_precompile, content_hash(basis)))

    def object(self) -> Path:
        """The file, once it is there. ToolchainError if g++ fails on it."""
        return self._made.result()

    def precompiled(self, folder: Path) -> tuple[str | Path, ...]:
        """The flags by which g++ takes the precompiled header, of which `folder` gets a copy; none
        if it could not be made, which costs time and nothing else, or if the runtime was not there
        yet."""
        if self._header is None:
            return ()
        header = folder / _HEADER
        try:
            header.with_name(f"{_HEADER}.gch").write_bytes(verified(self._header.result()))
            header.write_text(_INCLUDED)
        except (AcrobatError, OSError) as error:
            logger.warning("there is no precompiled header: %s", error)
            return ()
        return ("-include", header)

    def _make(self, path: Path) -> None:
        announce("compiling the run-time library for this machine, once (about 10 s)")
        with stage("run-time library"):
            sources = self.sources.sources
            parts = each(partial(self._compile, folder=path.parent), sources, len(sources))
            _compile("the runtime", ["-r", *parts], path, ())

    def _compile(self, source: Path, folder: Path) -> Path:
        path = folder / f"{source.stem}.o"
        if source in COMMON:
            # Once for all runtimes. What everything waits for is the device's program, which takes
            # longest: the small ones leave the cores to it and to what else is compiled.
            make = partial(_compile, "the runtime", ["-c", source], include=(), niceness=10)
            key = content_hash([*self._basis, source.read_text()])
            path.write_bytes(verified(_file("programs", key, ".o", make)))
        else:
            _compile("the runtime", ["-c", source], path, self.sources.include)
        return path


class ProgramBuild:
    """The shared library of a generated program, `source`, linked with the runtime (default: our
    own for the CPU). With `ahead` g++ begins at once, in the background of what its kernels
    take."""

    def __init__(
        self, source: str, runtime: RuntimeBuild | None = None, ahead: bool = False
    ) -> None:
        self._source, self._runtime = source, runtime or RuntimeBuild()
        self._part = Background(self._compile_alone) if ahead else None

    def link(self, kernels: Sequence[Path]) -> tuple[Path, float]:
        """The library, linked with the object files of its kernels, if it has any, and the seconds
        that took (0: it was cached)."""
        start = time.perf_counter()
        runtime, names = self._runtime.sources, [k.name for k in kernels]
        key = content_hash([*_everything_else(), *runtime.text, self._source, *names])
        make = partial(self._make, kernels)
        path, hit = cached_file("programs", key, ".so", make, check=False)
        return path, 0.0 if hit else time.perf_counter() - start

    def _make(self, kernels: Sequence[Path], path: Path) -> None:
        if self._part is None:
            part = self._compile(path.parent)
        else:
            part = path.with_suffix(".o")
            part.write_bytes(self._part.result())
        link: list[str | Path] = ["-shared", part]
        for i, file in enumerate([self._runtime.object(), *kernels]):
            # What is linked is what was checked.
            link.append(path.with_name(f"{i}.o"))
            path.with_name(f"{i}.o").write_bytes(verified(file))
        _compile("the generated program", link, path, ())

    def _compile_alone(self) -> bytes:
        with scratch_folder() as folder:
            return self._compile(folder).read_bytes()

    def _compile(self, folder: Path) -> Path:
        """The program's object file, with what the runtime has to know of its frames."""
        text, part, frame = (folder / f"program{suffix}" for suffix in (".cc", ".part.o", ".s"))
        text.write_text(self._source)
        with stage("generated program"):
            header = self._runtime.precompiled(folder)
            arguments = [*header, "-fstack-usage", "-c", text]
            _compile("the generated program", arguments, part, self._runtime.sources.include)
        frame.write_text(_FRAME_BYTES.format(_largest_frame(part.with_suffix(".su"))))
        whole = folder / "program.o"
        _compile("the generated program", ["-r", part, frame], whole, ())
        return whole


def build_program(
    source: str, kernels: Sequence[Path], runtime: RuntimeBuild | None = None
) -> tuple[Path, float]:
    """See `ProgramBuild`: one whose kernels are there."""
    return ProgramBuild(source, runtime).link(kernels)


# What every generated program includes, as a header to be precompiled.
_HEADER, _INCLUDED = "generated.h", "#include <acrobat/generated.h>\n"
# What the run-time has to know of a program's frames (runtime/include/acrobat/fibers/stack.h).
_FRAME_BYTES = """\
.section .rodata
.balign 8
.globl acrobat_frame_bytes
.hidden acrobat_frame_bytes
acrobat_frame_bytes: .quad {}
.section .note.GNU-stack,"",%progbits
"""


def _largest_frame(report: Path) -> int:
    """Of the functions that g++ has reported on: place and name, bytes, kind."""
    return max(int(line.split("\t")[1]) for line in report.read_text().splitlines())


def _precompile(key: str) -> Path:
    """The precompiled form of a header that includes what every generated program includes; g++
    takes it if it lies beside the header. g++ checks that this was made with the same flags, but
    not that it was made of the same headers: `key` has to say both."""

    def make(path: Path) -> None:
        header = path.with_name(_HEADER)
        header.write_text(_INCLUDED)
        with stage("precompiled header"):
            _compile("the precompiled header", ["-x", "c++-header", header], path, ())

    return _file("headers", key, ".gch", make)


def _file(kind: str, key: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """A cached file, of which `verified` will give the contents."""
    return cached_file(kind, key, suffix, make, check=False)[0]


def _everything_else() -> list[str]:
    """What a compiled file depends on besides its own text."""
    headers = [p.read_text() for p in sorted((INCLUDE / "acrobat").rglob("*.h"))]
    return [*toolchain_key(), *headers]


def _compile(
    what: str,
    arguments: Sequence[str | Path],
    path: Path,
    include: Sequence[Path],
    niceness: int = 0,
) -> None:
    includes = [f"-I{i}" for i in (*include, INCLUDE, python_include(), np.get_include())]
    run_compiler(what, [*includes, *arguments], path, niceness)
