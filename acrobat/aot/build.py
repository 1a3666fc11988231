"""Build programs with g++, once per content: the runtime into an object file, and every generated
program, linked with it, into a shared library.

The runtime takes longest and does not depend on the model: `RuntimeBuild` compiles its sources in
parallel, in the background. It also precompiles the header that every generated program includes,
which accounts for most of a program's compile time.
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
    """The runtime that a generated program is linked with: `sources` are compiled once for all
    programs; `include` are header folders in addition to those of `acrobat/runtime`."""

    sources: tuple[Path, ...] = tuple(sorted(SOURCES.glob("*.cc")))
    include: tuple[Path, ...] = ()

    @property
    def text(self) -> list[str]:
        """The text of all sources and headers, for a cache key."""
        headers = (h for folder in self.include for h in sorted(folder.glob("*.h")))
        return [p.read_text() for p in (*self.sources, *headers)]


# The sources that every program needs, whatever device runs its batches.
_EVERYWHERE = ("context", "host_calls", "lists", "mathematics", "memo", "memory", "signals")
COMMON = tuple(SOURCES / f"{name}.cc" for name in _EVERYWHERE)
CUDA_RESULTS = SOURCES / "cuda" / "results.cc"
CUDA_RUNTIME = RuntimeSources((*COMMON, SOURCES / "cuda" / "program.cc", CUDA_RESULTS))


class RuntimeBuild:
    """The files that all programs share: the runtime's object file and the precompiled header,
    built in the background if they are not cached. The very first program waits for the runtime,
    with all cores busy, and would gain nothing from the header: the second one builds it."""

    def __init__(self, runtime: RuntimeSources | None = None) -> None:
        """`runtime`: by default our own for the CPU. Raises ToolchainError without g++ or
        Python.h."""
        self.sources = runtime or RuntimeSources()
        self._basis = basis = _everything_else()
        self._key = content_hash([*basis, *self.sources.text])
        first = not is_cached("programs", self._key, ".o")
        self._made = Background(partial(_file, "programs", self._key, ".o", self._make))
        # Even if this program turns out not to need it, the next one will find it in the cache.
        self._header = None if first else Background(partial(_precompile, content_hash(basis)))

    def object(self) -> Path:
        """Wait for the object file and return its path. Raises ToolchainError if g++ fails."""
        return self._made.result()

    def precompiled(self, folder: Path) -> tuple[str | Path, ...]:
        """The flags that make g++ use the precompiled header, which is copied to `folder`; none if
        it could not be built, which costs time and nothing else, or if the runtime was not cached
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
            # Compiled once for all runtimes. Everything waits for the device's own source, which
            # takes longest: the small ones leave the cores to it and to other compilations.
            make = partial(_compile, "the runtime", ["-c", source], include=(), niceness=10)
            key = content_hash([*self._basis, source.read_text()])
            path.write_bytes(verified(_file("programs", key, ".o", make)))
        else:
            _compile("the runtime", ["-c", source], path, self.sources.include)
        return path


class ProgramBuild:
    """The shared library of a generated program, `source`, linked with the runtime (default: our
    own for the CPU). With `ahead`, g++ starts at once, in the background, while the kernels are
    being compiled."""

    def __init__(
        self, source: str, runtime: RuntimeBuild | None = None, ahead: bool = False
    ) -> None:
        self._source, self._runtime = source, runtime or RuntimeBuild()
        self._part = Background(self._compile_alone) if ahead else None

    def link(self, kernels: Sequence[Path]) -> tuple[Path, float]:
        """Link the library with the object files of its kernels, if it has any. Return its path and
        the seconds that this took (0 if it was cached)."""
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
            # Copies, so that the contents linked are those that were verified.
            link.append(path.with_name(f"{i}.o"))
            path.with_name(f"{i}.o").write_bytes(verified(file))
        _compile("the generated program", link, path, ())

    def _compile_alone(self) -> bytes:
        with scratch_folder() as folder:
            return self._compile(folder).read_bytes()

    def _compile(self, folder: Path) -> Path:
        """The program's object file, including what the runtime must know about its frames."""
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
    """Build a program whose kernels are compiled already: see `ProgramBuild`."""
    return ProgramBuild(source, runtime).link(kernels)


# A header to be precompiled, which includes what every generated program includes.
_HEADER, _INCLUDED = "generated.h", "#include <acrobat/generated.h>\n"
# What the runtime must know about a program's frames (runtime/include/acrobat/fibers/stack.h).
_FRAME_BYTES = """\
.section .rodata
.balign 8
.globl acrobat_frame_bytes
.hidden acrobat_frame_bytes
acrobat_frame_bytes: .quad {}
.section .note.GNU-stack,"",%progbits
"""


def _largest_frame(report: Path) -> int:
    """The largest frame in g++'s report, which has a line per function: place and name, bytes,
    kind."""
    return max(int(line.split("\t")[1]) for line in report.read_text().splitlines())


def _precompile(key: str) -> Path:
    """The precompiled form of a header that includes what every generated program includes; g++
    uses it if it lies next to the header. g++ checks that it was made with the same flags, but not
    that it was made from the same headers: `key` must cover both."""

    def make(path: Path) -> None:
        header = path.with_name(_HEADER)
        header.write_text(_INCLUDED)
        with stage("precompiled header"):
            _compile("the precompiled header", ["-x", "c++-header", header], path, ())

    return _file("headers", key, ".gch", make)


def _file(kind: str, key: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """A cached file, to be read through `verified`."""
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
