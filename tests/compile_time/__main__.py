"""Compiles programs that grow in one dimension, and prints what that takes.

    python -m tests.compile_time                    the families below, with empty caches
    python -m tests.compile_time chain layers       these families
    python -m tests.compile_time --passes           without kernels and C++, at larger sizes

A line says how long the source is, the CPU seconds from an empty cache (this process, TVM and g++),
the share of each stage, and the exponent e with which they grow: the time is like size ** e between
this line and the one before. The run-time library is built beforehand.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import acrobat as ab
from acrobat.driver.run import Compilation
from acrobat.pipeline import run_pipeline

from .load import load
from .sources import FAMILIES

# Sizes of each family: first those that are compiled, then those of the passes alone.
SIZES: Mapping[str, tuple[Sequence[int], Sequence[int]]] = {
    "chain": ((50, 100, 200, 400, 1000), (500, 1000, 2000)),
    "mixed": ((50, 100, 200, 400), (500, 1000, 2000)),
    "pointwise": ((100, 200, 400), (500, 1000, 2000)),
    "numbers": ((500, 1000), (500, 1000, 2000)),
    "nested": ((32, 64), (48, 96)),
    "called": ((256, 1024), (256, 1024)),
    "doubled": ((8, 10, 14), (8, 14, 28)),
    "branching": ((6, 8, 10), (8, 10, 12)),
    "elifs": ((100, 300), (250, 500, 950)),
    "returns": ((100,), (250, 500, 950)),
    "decisions": ((50, 100), (125, 250, 500)),
    "loops": ((50,), (125, 250, 500)),
    "permuted": ((4, 8), (8, 16)),
    "permuted_groups": ((3, 5), (4, 5)),
    "folded": ((16, 64), (250, 500, 1000)),
    "wide": ((50, 200), (250, 500, 1000)),
    "layers": ((500, 1000, 2000), (1000, 2000, 4000)),
    "recursions": ((20, 40), (50, 100, 200)),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds: of the passes, by name; of kernels, and of g++ and the rest of the process."""

    lines: int
    passes: Mapping[str, float]
    kernels: float
    other: float

    @property
    def seconds(self) -> float:
        return sum(self.passes.values()) + self.kernels + self.other


def cpu_seconds() -> float:
    """Of this process and of the children that have ended."""
    used = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def measure(family: str, size: int, folder: Path, passes_only: bool) -> Measured:
    """Compile one program."""
    text = FAMILIES[family](size)
    program = load(text, folder)
    start = cpu_seconds()
    wall = time.perf_counter()
    if passes_only:
        done = run_pipeline(program.main, program.weights, ab.Options())
        return _measured(text, done, cpu_seconds() - start, time.perf_counter() - wall, 0.0)
    fast = ab.compile(program.main, program.weights, target="cpu", options=ab.Options(threads=1))
    total, wall = cpu_seconds() - start, time.perf_counter() - wall
    return _measured(text, fast.compilation, total, wall, sum(fast.compilation.kernel_s.values()))


def _measured(text: str, done: Compilation, total: float, wall: float, kernels: float) -> Measured:
    # Stages are measured by the clock: on a busy machine they took less of a core.
    busy = min(1.0, total / wall)
    passes = {s.name: s.seconds * busy for s in done.steps}
    kernels *= busy
    other = max(0.0, total - sum(passes.values()) - kernels)
    return Measured(text.count("\n"), passes, kernels, other)


def _warm_up(folder: Path) -> None:
    """What every program needs is there, and TVM is imported."""
    program = load(FAMILIES["chain"](1), folder)
    for options in (ab.Options(), ab.Options(threads=1, hoisting=False)):
        ab.compile(program.main, program.weights, target="cpu", options=options)


def show(family: str, size: int, now: Measured, before: tuple[int, Measured] | None) -> None:
    """Print a line."""
    shares = {"kernels": now.kernels, "C++": now.other, **now.passes}
    largest = sorted(shares, key=lambda s: -shares[s])[:3]
    said = ", ".join(f"{s} {shares[s] / now.seconds:.0%}" for s in largest)
    growth = ""
    if before is not None:
        growth = f"{math.log(now.seconds / before[1].seconds) / math.log(size / before[0]):.1f}"
    print(f"{family:16} {size:5} {now.lines:6} {now.seconds:8.1f} {growth:>5}  {said}", flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("families", nargs="*", default=[], metavar="FAMILY")
    parser.add_argument("--passes", action="store_true", help="without kernels and C++")
    arguments = parser.parse_args()
    unknown = sorted({*arguments.families} - {*SIZES})
    if unknown:
        parser.error(f"{unknown[0]}: the families are {', '.join(SIZES)}")
    print(f"{'family':16} {'size':>5} {'lines':>6} {'CPU s':>8} {'e':>5}  largest shares")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["ACROBAT_CACHE"] = cache
        if not arguments.passes:
            _warm_up(Path(cache))
        for family in arguments.families or SIZES:
            before = None
            for size in SIZES[family][arguments.passes]:
                now = measure(family, size, Path(cache), arguments.passes)
                show(family, size, now, before)
                before = size, now


if __name__ == "__main__":
    main()
