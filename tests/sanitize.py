"""A short soak in which the run-time and the generated programs are compiled with sanitizers:

    python -m tests.sanitize              # address and undefined behaviour, then threads
    python -m tests.sanitize thread --minutes 5 -- --seed 3 treelstm berxit

What follows `--` goes to the soak. It ends with 1 if a sanitizer reports anything. Kernels come
from LLVM and are not instrumented; tests/kernels compare them with their specification.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from acrobat.aot.toolchain import find_compiler
from acrobat.cache import cache_dir

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """`library` has to be loaded before Python."""

    library: str
    flags: str
    environment: dict[str, str]
    soak: tuple[str, ...] = ()


SANITIZERS = {
    "address": Sanitizer(
        "libasan.so",
        "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer",
        # Python keeps until its end what would count as leaked: the soak looks for growth.
        {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "UBSAN_OPTIONS": "print_stacktrace=1"},
    ),
    # A forked child of a process with several threads is beyond what the thread sanitizer follows.
    "thread": Sanitizer(
        "libtsan.so",
        "-fsanitize=thread",
        {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1:halt_on_error=1:exitcode=66"},
        ("--no-forks",),
    ),
}


def run(name: str, soak: list[str]) -> int:
    """The exit status of a soak under one sanitizer: 0 if it has nothing to report."""
    sanitizer = SANITIZERS[name]
    # Exceptions are intercepted only if the C++ library is there from the beginning, too.
    preload = [_library(sanitizer.library), _library("libstdc++.so.6")]
    environment = {
        **os.environ,
        **sanitizer.environment,
        "LD_PRELOAD": " ".join(preload),
        "ACROBAT_LOAD_IN_PLACE": "1",  # for names in stack traces
        "ACROBAT_CACHE": str(cache_dir() / "sanitized" / name),
        "ACROBAT_CXXFLAGS": f"{sanitizer.flags} -g1 -O1",
    }
    command = [sys.executable, "-m", "tests.soak", "--any-growth", *sanitizer.soak, *soak]
    return subprocess.run(command, env=environment, cwd=ROOT).returncode


def _library(name: str) -> str:
    found = subprocess.run(
        [find_compiler()[0], f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_file():
        sys.exit(f"{name} is missing; it comes with g++ (Debian and Ubuntu: {name[:-3]}*)")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.add_argument("sanitizers", nargs="*", help=f"of {', '.join(SANITIZERS)} (default: all)")
    parser.add_argument("--minutes", type=float, default=0.25)
    ours: list[str] = sys.argv[1:]
    soak: list[str] = []
    if "--" in ours:
        at = ours.index("--")
        ours, soak = ours[:at], ours[at + 1 :]
    given = parser.parse_args(ours)
    for name in given.sanitizers:
        if name not in SANITIZERS:
            parser.error(f"there is no sanitizer {name!r}; there are {', '.join(SANITIZERS)}")
    failed = False
    for name in given.sanitizers or SANITIZERS:
        status = run(name, ["--minutes", str(given.minutes), *soak])
        print(f"{name}: {'nothing to report' if status == 0 else f'ended with {status}'}")
        failed |= status != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
