"""The steps before the measurement: what is looked at, tested and built on a machine with a GPU."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import workloads
from harness.bench import key_of, missing
from harness.cell import Cell

# Seconds for a cell of all systems, the start of their processes and compilation included.
CELL_LIMIT_S = 240.0


@dataclass(frozen=True, slots=True)
class Step:
    """A command in a process of its own: its name, which is that of its log, and the seconds after
    which it is ended. A step is done once; `again` ones are run whenever they are met."""

    name: str
    command: tuple[str, ...]
    limit_s: float
    again: bool = False


def preparation(arch: str) -> list[Step]:
    """The steps before the measurement, in order, on a GPU of architecture `arch` (sm_90)."""
    python = sys.executable
    variants = ("--variants", "full", "gpu_mode=persistent")
    check = (python, "-m", "harness.check", "--device", "cuda", *variants)
    # Most of the tests' time is compilation, of one kernel after the other.
    beside = ("-n", "8") if importlib.util.find_spec("xdist") else ()
    found = [
        Step("nvidia-smi", ("nvidia-smi",), 30, again=True),
        Step("clocks", ("nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE"), 30, again=True),
        Step("doctor", (python, "-m", "acrobat.cli", "doctor"), 60, again=True),
        Step("versions", (python, "-m", "harness.gpu.machine"), 60, again=True),
        # A process each: what one crashes is no reason not to look at the next.
        *(Step(f"check-{name}", (*check, "--workloads", name), 120) for name in workloads.NAMES),
        Step(
            "kernel-tests",
            (python, "-m", "pytest", "--maxfail=10", *beside, "tests/kernels/test_cuda_on_gpu.py"),
            300,
        ),
    ]
    if shutil.which("compute-sanitizer"):
        sanitizer = ("compute-sanitizer", "--error-exitcode", "9")
        few = ("--batches", "3", "--workloads", "treelstm", "drnn")
        found.append(Step("memory-check", (*sanitizer, *check, *few), 180))
    jobs = str(len(os.sched_getaffinity(0)))
    build = (python, "-m", "baselines.dynet.build", "--cuda", arch, "--jobs", jobs)
    return [*found, Step("dynet", build, 420)]


def measurement(config: Path, cells: Sequence[Cell], out: Path, again: bool) -> list[Step]:
    """A step per cell, in their order; without `again` those whose rows are not all there."""
    bench = (sys.executable, "-m", "acrobat.cli", "bench", "--config", str(config))
    steps: list[Step] = []
    for cell in cells:
        if again or missing(cell, out):
            only = ("--only", key_of(cell), "--out", str(out), *(() if again else ("--missing",)))
            steps.append(Step(key_of(cell), (*bench, *only), CELL_LIMIT_S, again=True))
    return steps
