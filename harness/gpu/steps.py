"""The steps on a machine with a GPU: what is looked at, built, tested and measured."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import baselines
import workloads
from harness.bench import key_of, missing, without
from harness.cell import Cell

# Seconds for a cell of all systems, the start of their processes and compilation included; and
# those that must be left for one to be begun: a cell that is cut short has few rows.
CELL_LIMIT_S, CELL_LEAST_S = 240.0, 90.0
# All checks compile at the same time, beside DyNet.
CHECK_LIMIT_S = 180.0
# What decides whether persistent kernels are measured compiles one small program.
BARRIERS_LIMIT_S = 60.0
# A native build: less in the first call of the command, which then measures without it if need be,
# than in a later one, which has measured the rest.
FIRST_BUILD_LIMIT_S, BUILD_LIMIT_S = 180.0, 420.0
PROBE_LIMIT_S = 60.0
# What runs in one launch, with grid barriers: if its programs do not get past one, it ends itself
# after some seconds, and its process can use the GPU no more.
PERSISTENT = (
    "acrobat:gpu_mode=persistent",
    "acrobat:gpu_mode=persistent,precision=tf32x3",
    "cortex",
)
BARRIERS = "persistent-barriers"


@dataclass(frozen=True, slots=True)
class Step:
    """A command in a process of its own: its name, which is that of its log, the seconds after
    which it is ended, and those that must be left for it to be begun (by default a quarter of the
    former). A step is done once; `again` ones are run every time. Of steps that are `alike`, one is
    begun if the longest so far would fit, with some more."""

    name: str
    command: tuple[str, ...]
    limit_s: float
    again: bool = False
    least_s: float | None = None
    alike: str = ""


def looks() -> list[Step]:
    """What the machine is."""
    python = sys.executable
    return [
        Step("nvidia-smi", ("nvidia-smi",), 30, again=True),
        Step("clocks", ("nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE"), 30, again=True),
        Step("doctor", (python, "-m", "acrobat.cli", "doctor"), 60, again=True),
        Step("versions", (python, "-m", "harness.gpu.machine"), 60, again=True),
    ]


def _check(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "harness.check", "--device", "cuda", *arguments)


def native() -> dict[str, str]:
    """The systems that are built natively for a GPU, and the modules that build them."""
    found = baselines.records().items()
    builds = {name: record.build for name, record in found if record.build}
    return {name: build.module for name, build in builds.items() if "cuda" in build.devices}


def preparation(arch: str, tried: Collection[str] = ()) -> list[Step]:
    """What needs no peace, on a GPU of architecture `arch` (sm_90), and may run at once: native
    builds, whether a persistent kernel comes to an end, and every workload's results. `tried`:
    native builds that an earlier call has begun."""
    jobs = str(len(os.sched_getaffinity(0)))
    barriers = _check("--variants", "gpu_mode=persistent", "--workloads", "treelstm")
    # A process each: what one crashes is no reason not to look at the next.
    return [
        *(
            # Again, for the folder may come from another machine; what is built takes no time.
            Step(
                system,
                (sys.executable, "-m", module, "--cuda", arch, "--jobs", jobs),
                BUILD_LIMIT_S if system in tried else FIRST_BUILD_LIMIT_S,
                again=True,
            )
            for system, module in native().items()
        ),
        Step(BARRIERS, barriers, BARRIERS_LIMIT_S),
        *(
            Step(f"check-{name}", _check("--variants", "full", "--workloads", name), CHECK_LIMIT_S)
            for name in workloads.NAMES
        ),
    ]


def persistent_checks() -> list[Step]:
    """The workloads' results in persistent mode, at once."""
    return [
        Step(
            f"check-persistent-{name}",
            _check("--variants", "gpu_mode=persistent", "--workloads", name),
            CHECK_LIMIT_S,
        )
        for name in workloads.NAMES
    ]


def probes(out: Path) -> list[Step]:
    """What a cycle model must know of the GPU, in `out`/probe.json, and what it says then; a walk
    under NVIDIA's profiler, if that is there. They want the GPU for themselves."""
    python, file = sys.executable, str(out / "probe.json")
    found = [
        Step("probe", (python, "-m", "harness.gpu.probe", "--out", file), PROBE_LIMIT_S),
    ]
    if shutil.which("ncu"):
        walk = _check("--variants", "gpu_mode=persistent", "--batches", "64", "--workloads")
        options = ("--launch-skip", "1", "--launch-count", "1", "--set", "basic")
        found.append(Step("profiler", ("ncu", *options, *walk, "treelstm"), PROBE_LIMIT_S))
    return found


def measurement(
    config: Path, cells: Iterable[Cell], out: Path, again: bool, left_out: Sequence[str] = ()
) -> list[Step]:
    """A step per cell, in their order, but for the systems `left_out`; without `again` those whose
    rows are not all there."""
    bench = (sys.executable, "-m", "acrobat.cli", "bench", "--config", str(config))
    steps: list[Step] = []
    for whole in cells:
        cell = without(whole, left_out)
        if cell is None or not (again or missing(cell, out)):
            continue
        options = ("--out", str(out), *(() if again else ("--missing",)))
        if left_out:
            options = (*options, "--without", *left_out)
        key = key_of(cell)
        name = f"{config.stem}/{key}"
        steps.append(
            Step(name, (*bench, "--only", key, *options), CELL_LIMIT_S, True, CELL_LEAST_S, "cell")
        )
    return steps


def tests() -> list[Step]:
    """What takes long and decides nothing: after the measurement."""
    python = sys.executable
    # Most of the tests' time is compilation, of one kernel after the other.
    beside = ("-n", "8") if importlib.util.find_spec("xdist") else ()
    file = "tests/kernels/test_cuda_on_gpu.py"
    found = [
        Step("kernel-tests", (python, "-m", "pytest", "--maxfail=10", *beside, file), 300),
    ]
    if shutil.which("compute-sanitizer"):
        few = _check("--variants", "full", "--batches", "3", "--workloads", "treelstm", "drnn")
        found.append(
            Step("memory-check", ("compute-sanitizer", "--error-exitcode", "9", *few), 180)
        )
    return found
