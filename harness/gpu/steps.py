"""The steps on a machine with a GPU: inspections, builds, tests and measurements."""

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

# Seconds for a cell of all systems, including process starts and compilation; and those that must
# be left for a cell to start, since a cell that is cut short has few rows.
CELL_LIMIT_S, CELL_LEAST_S = 240.0, 90.0
# All checks compile concurrently, along with the build of DyNet.
CHECK_LIMIT_S = 180.0
# The check that decides whether persistent kernels are measured compiles one small program.
BARRIERS_LIMIT_S = 60.0
# A native build: less in the command's first call, which if need be measures without it, than in a
# later call, when the rest has been measured.
FIRST_BUILD_LIMIT_S, BUILD_LIMIT_S = 180.0, 420.0
PROBE_LIMIT_S = 60.0
# Systems and variants that run in one launch with grid barriers: if programs get stuck at a
# barrier, the launch aborts after some seconds, and its process can no longer use the GPU.
PERSISTENT = (
    "acrobat:gpu_mode=persistent",
    "acrobat:gpu_mode=persistent,precision=tf32x3",
    "cortex",
)
BARRIERS = "persistent-barriers"


@dataclass(frozen=True, slots=True)
class Step:
    """A command in its own process: its `name`, also the name of its log; `limit_s`, the seconds
    after which it is killed; and `least_s`, the seconds that must be left for it to start (by
    default a quarter of `limit_s`). A step is done once, with `again` in every call. Among steps
    with the same `alike`, one starts only if the longest so far would fit, with a margin."""

    name: str
    command: tuple[str, ...]
    limit_s: float
    again: bool = False
    least_s: float | None = None
    alike: str = ""


def looks() -> list[Step]:
    """The steps that describe the machine."""
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
    """The systems with a native build for a GPU, and the modules that build them."""
    found = baselines.records().items()
    builds = {name: record.build for name, record in found if record.build}
    return {name: build.module for name, build in builds.items() if "cuda" in build.devices}


def preparation(arch: str, tried: Collection[str] = ()) -> list[Step]:
    """The steps that do not need an idle machine and may run concurrently, for a GPU of
    architecture `arch` (such as sm_90): native builds, a check that a persistent kernel terminates,
    and checks of every workload's results. `tried`: native builds that an earlier call has
    started."""
    jobs = str(len(os.sched_getaffinity(0)))
    barriers = _check("--variants", "gpu_mode=persistent", "--workloads", "treelstm")
    # One process per workload: if one crashes, the others are still checked.
    return [
        *(
            # Again, since the folder may come from another machine; an existing build takes no
            # time.
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
    """Concurrent checks of the workloads' results in persistent mode."""
    return [
        Step(
            f"check-persistent-{name}",
            _check("--variants", "gpu_mode=persistent", "--workloads", name),
            CHECK_LIMIT_S,
        )
        for name in workloads.NAMES
    ]


def probes(out: Path) -> list[Step]:
    """The steps that need the GPU to themselves: a probe for the cycle model's constants, written
    to `out`/probe.json, and a run under NVIDIA's profiler, if it is installed."""
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
    """A step per cell, in order, without the systems `left_out`; unless `again` is set, only cells
    with missing rows."""
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
    """The long steps that no other step depends on, to be run after the measurement."""
    python = sys.executable
    # Most of the tests' time is compilation of one kernel after the other.
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
