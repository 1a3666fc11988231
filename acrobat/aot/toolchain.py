"""g++ and Python's headers: where they are, what g++ generates code for, and how it is run."""

from __future__ import annotations

import functools
import itertools
import math
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..errors import CompilerBug, OptionError, ToolchainError
from ..kernels.printers.cpu.target import machine_target

FLAGS = (
    "-std=c++20",
    "-O2",
    "-march=native",
    # No fused multiply-add, which is g++'s default: Python rounds the product.
    "-ffp-contract=off",
    "-fPIC",
    "-pthread",
    "-fvisibility=hidden",
)
_PATIENCE_S = 1200.0  # for one run of g++; minutes are usual for the largest models
_PATIENCE = "ACROBAT_COMPILE_SECONDS"
_VERSION_PATIENCE_S = 60.0


@functools.cache
def find_compiler() -> tuple[str, str]:
    """The path and version line of g++. Raises ToolchainError if there is none."""
    path = shutil.which("g++")
    if path is None:
        raise ToolchainError(
            "g++ is needed to compile a model's control flow and was not found; install it "
            "(Debian and Ubuntu: apt-get install g++)"
        )
    return path, _ask(path, "--version").stdout.partition("\n")[0]


@functools.cache
def python_include() -> Path:
    """The folder of Python.h. Raises ToolchainError if it is not installed."""
    folder = Path(sysconfig.get_paths()["include"])
    if not (folder / "Python.h").is_file():
        raise ToolchainError(
            f"Python.h is needed to compile a model and is not in {folder}; install Python's "
            f"headers (Debian and Ubuntu: apt-get install python3-dev)"
        )
    return folder


@functools.cache
def native_code() -> tuple[str, ...]:
    """The flags that g++ expands `-march=native` to on this machine. Machines that differ in one of
    them may share a home folder, but no code."""
    compiler, _ = find_compiler()
    asked = _ask(compiler, "-march=native", "-###", "-E", "-x", "c++", os.devnull)
    for line in asked.stderr.splitlines():
        if ("cc1" in line and "-quiet" in line) or '"-cc1"' in line:
            words = shlex.split(line)
            named = [b for a, b in itertools.pairwise(words) if a in _NAMED]
            return (*(w for w in words if w.startswith("-m")), *named)
    raise ToolchainError(f"{compiler} does not say what -march=native is:\n{asked.stderr[-4000:]}")


# The flags in which clang, where it is installed as g++, names its target. The cache sizes that gcc
# also names change with the core that it happened to run on, and nothing depends on them.
_NAMED = ("-target-cpu", "-target-feature")


def toolchain_key() -> list[str]:
    """What a compiled file depends on besides its own text and headers."""
    _, version = find_compiler()
    libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
    python = [sys.version, str(python_include()), np.__version__]
    return [version, machine_target().key, *native_code(), libc, *python, *compiler_flags()]


def compiler_flags() -> tuple[str, ...]:
    """The flags of every compilation; ACROBAT_CXXFLAGS adds some, such as those of a sanitizer."""
    return (*FLAGS, *_sound(), *os.environ.get("ACROBAT_CXXFLAGS", "").split())


@functools.cache
def _sound() -> tuple[str, ...]:
    """Flags against a fault of g++ 12 with AVX-512: constants of 32 or 64 bytes whose words are
    equal but for zeros at the end, `{1, 1, 1, 0}`, are stored as if they had no zeros. (Its
    ix86_convert_const_wide_int_to_broadcast compares only the words that the constant has.) They
    are not moved as one integer where none is wider than 16 bytes. Versions before 12 do not know
    these flags, and need none."""
    compiler, _ = find_compiler()
    if platform.machine() != "x86_64":
        return ()
    asked = _ask(compiler, *_NARROW, "-E", "-x", "c++", os.devnull, check=False)
    return () if asked.returncode else _NARROW


_NARROW = ("-mmove-max=128", "-mstore-max=128")


def run_compiler(what: str, arguments: Sequence[str | Path], path: Path, niceness: int = 0) -> None:
    """Run g++ with `arguments` to make `path`; its temporary files go to the same folder. `what`
    names what is compiled, for messages. Raises ToolchainError if g++ fails or does not end;
    CompilerBug if it fails because a generated program is not legal C++."""
    compiler, _ = find_compiler()
    command = [compiler, *compiler_flags(), *map(str, arguments), "-o", str(path)]
    if niceness and shutil.which("nice"):
        command = ["nice", "-n", str(niceness), *command]
    environment = {**os.environ, "TMPDIR": str(path.parent)}
    patience = _patience()
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
        )
    except OSError as error:
        raise ToolchainError(f"{compiler} cannot be started on {what}: {error}") from error
    with process:
        try:
            _, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise ToolchainError(
                f"{compiler} did not end on {what} in {patience:g} s and was killed; if it only "
                f"takes long, set {_PATIENCE} to more seconds"
            ) from None
        except BaseException:
            _kill(process)
            raise
    if process.returncode:
        raise _failure(compiler, what, process.returncode, errors, arguments)
    if not path.is_file():
        raise ToolchainError(f"{compiler} said nothing on {what}, but did not make it")


def _patience() -> float:
    """The time limit for one run of g++, in seconds. Raises OptionError if the environment
    variable has an invalid value."""
    text = os.environ.get(_PATIENCE, "")
    try:
        seconds = float(text or _PATIENCE_S)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < 1e6:
        raise OptionError(f"{_PATIENCE}={text!r}: expected seconds, more than 0 and below 1000000")
    return seconds


def _failure(
    compiler: str, what: str, code: int, errors: bytes, arguments: Sequence[str | Path]
) -> ToolchainError | CompilerBug:
    """The error to raise: a CompilerBug if a generated program is not legal C++, otherwise a
    ToolchainError."""
    whole = errors.decode(errors="replace")
    text = whole[-4000:]
    if code < 0:
        return ToolchainError(
            f"{compiler} was killed on {what} ({_signal(-code)}); {_MEMORY}\n{text}"
        )
    if "Killed signal" in text:
        return ToolchainError(f"{compiler} was killed on {what}; {_MEMORY}\n{text}")
    if what == GENERATED and _ILLEGAL.search(whole):
        return CompilerBug(_illegal(compiler, Path(arguments[-1]), whole))
    return ToolchainError(f"{compiler} failed on {what} (exit code {code}):\n{text}")


# The name, in messages, of the program that a model was compiled to.
GENERATED = "the generated program"

# "generated.cc:12:3: error: ...", and errors of the linker. A "fatal error" is about files.
_ILLEGAL = re.compile(
    r"^[^\s:][^:\n]*:\d+:\d+: error: |: (?:undefined reference|multiple definition)", re.M
)


def _illegal(compiler: str, source: Path, text: str) -> str:
    """The message about a program that g++ refuses; the source is saved with g++'s output."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="acrobat-report-"))
        for file in source.parent.glob("*.cc"):
            shutil.copy(file, folder)
        (folder / "errors.txt").write_text(text)
        kept = f"the generated C++ and what {compiler} said are in {folder}"
    except OSError as error:
        kept = f"the generated C++ could not be kept ({error})"
    return (
        f"{compiler} refused the C++ that this model was compiled to. This is a fault of the "
        f"compiler, not of the model. Please report it with the model: {kept}; ACROBAT_DISABLE=1 "
        f"runs the model as plain Python, executor='vm' without g++."
    )


_MEMORY = "if the machine has too little memory for it, compile with less running beside it"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill g++ and the processes that it started."""
    for pid in [*_descendants(process.pid), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _descendants(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    children = [int(n) for n in text.split()]
    return [d for c in children for d in (*_descendants(c), c)]


def _ask(compiler: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Ask g++ about itself. Raises ToolchainError if it cannot be run, or, to `check`, fails."""
    try:
        done = subprocess.run(
            [compiler, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_PATIENCE_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{compiler} {arguments[0]} failed: {error}") from error
    if check and done.returncode:
        raise ToolchainError(
            f"{compiler} {arguments[0]} failed (exit code {done.returncode}):\n"
            f"{done.stderr[-4000:]}"
        )
    return done
