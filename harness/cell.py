"""A cell: one workload, size, batch and thread count, measured with every system in rounds.

The systems of a cell are alive at once, each in its own process, and are sampled in rounds (A B C,
C A B, ...): whatever the machine does meanwhile, it does to all of them. The order within a round
is drawn, so that no system always finds the caches as the same other one leaves them. (If memory is
short, as many systems as fit are measured together, and then the others; a system is out of memory
only if it runs out alone.) In a round a system takes one sample, or as many as fit into `round_ms`.
There is a pause before each system: an idle OpenMP runtime spins for a while before it sleeps
(200 ms is a common default; the workers set it to less), and spinning threads must not disturb what
is timed.

When all have enough samples, the rounds go on while some row may be unstable (`harness.doubt`) and
`noisy_seconds` of the cell are not used up. All systems take part, not only those in doubt: both
sides of a ratio must come from the same time.
"""

from __future__ import annotations

import datetime
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import baselines
from baselines.api import Problem, Unsupported

from . import doubt, host
from .environment import device_name, free_memory, git_sha, source_hash, versions
from .intervals import Timing
from .row import TOLERANCE, Row, statistics_of, within
from .worker_process import WorkerFailure, WorkerProcess

# Samples, in multiples of the least number, that are enough however short they are.
_MANY = 50
# Samples that are taken however long they are.
_FEW = 3
# What is sampled for `min_seconds` is sampled in at least this many rounds: intervals are computed
# from rounds.
_ROUNDS = 8
# The part of the machine's memory that stays free while another system is started.
_LEAST_FREE = 0.5


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured, and how long. `systems` are (system, variant) pairs; `label` is the number
    of threads as it was asked for, "all" or a number, in the names of files and rules: what "all"
    stands for is known where the cell runs. `noisy_seconds` is what the cell may take longer, on
    the wall, while rows may be unstable."""

    workload: str
    size: str
    batch: int
    threads: int
    device: str
    seed: int
    sst_dir: str | None
    systems: tuple[tuple[str, str], ...]
    min_samples: int = 20
    min_seconds: float = 2.0
    max_seconds: float = float("inf")
    noisy_seconds: float = 0.0
    warmup: int = 3
    timeout_s: float = 300.0
    round_ms: float = 100.0
    pause_s: float = 0.05
    tolerance: float = TOLERANCE
    label: str = ""


@dataclass(slots=True)
class _Contender:
    row: Row
    process: WorkerProcess | None = None
    samples: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    others: host.OtherLoad = field(default_factory=host.OtherLoad)

    @property
    def timing(self) -> Timing:
        return Timing.make(self.samples, self.rounds)

    @property
    def host(self) -> dict[str, Any]:
        return {**self.row.host, "load_during": self.others.share}

    @property
    def doubt(self) -> str | None:
        """Why the row may be unstable; None if that cannot be known here."""
        return doubt.doubt_of(self.timing, self.host)


def measure_cell(cell: Cell, write: Callable[[Row], object] = lambda _: None) -> list[Row]:
    """One row per system of the cell, whatever happens to it; `write` gets each as it is made."""
    about = host.describe(host.load_now())
    with tempfile.TemporaryDirectory() as scratch:
        reference = Path(scratch) / "reference.npz"
        data = _reference(cell, reference)
        rows: list[Row] = []
        spare = cell.noisy_seconds
        waiting = sorted(cell.systems, key=lambda pair: _is_alone(cell, pair[0]))
        while waiting:
            group = _together(cell, waiting, data, about)
            spare -= _Rounds(cell, group).run(spare)
            for contender in group:
                rows.append(_finish(cell, contender, reference, Path(scratch)))
                write(rows[-1])
            waiting = waiting[len(group) :]
        return rows


def _is_alone(cell: Cell, system: str) -> bool:
    """On a GPU, where all others are prepared at once, what chooses by timing is alone."""
    return cell.device == "cuda" and baselines.record(system).times_in_prepare


def _together(
    cell: Cell, systems: Sequence[tuple[str, str]], data: str, about: dict[str, Any]
) -> list[_Contender]:
    """The first of `systems`, prepared, as many as there is memory for; at least one.

    On a GPU, where a process needs seconds to start, all are prepared at once."""
    group: list[_Contender] = []
    first, first_variant = systems[0]
    if _is_alone(cell, first):
        return [_prepare(cell, first, first_variant, data, about)]
    if cell.device == "cuda":
        beside = [s for s in systems if not _is_alone(cell, s[0])]
        with ThreadPoolExecutor(max_workers=cores()) as pool:
            return list(pool.map(lambda s: _prepare(cell, s[0], s[1], data, about), beside))
    for system, variant in systems:
        others = any(c.process for c in group)
        if others and free_memory() < _LEAST_FREE:
            break
        contender = _prepare(cell, system, variant, data, about)
        if others and contender.row.status == "oom":
            break
        group.append(contender)
    return group


def _problem(cell: Cell) -> dict[str, Any]:
    return {
        "workload": cell.workload,
        "size": cell.size,
        "batch": cell.batch,
        "seed": cell.seed,
        "device": cell.device,
        "threads": cell.threads,
        "sst_dir": cell.sst_dir,
    }


def _reference(cell: Cell, path: Path) -> str:
    """Plain-Python outputs, computed in a process of their own; returns the data's label."""
    process = WorkerProcess(cell.threads if cell.device == "cpu" else cores())
    try:
        answer = process.ask({"command": "reference", "path": str(path), **_problem(cell)}, 3600)
    finally:
        process.close()
    return str(answer["data"])


def unsupported(cell: Cell, system: str, variant: str) -> str | None:
    """Why a system cannot run the cell, None if it says that it can."""
    problem = Problem(
        cell.workload,
        cell.size,
        cell.batch,
        cell.seed,
        cell.device,
        cell.threads,
        variant,
        None,
        [],
    )
    answer = baselines.get(system).supports(problem)
    return answer.reason if isinstance(answer, Unsupported) else None


def _prepare(cell: Cell, system: str, variant: str, data: str, about: dict[str, Any]) -> _Contender:
    row = Row(
        system=system,
        variant=variant,
        workload=cell.workload,
        model_size=cell.size,
        batch_size=cell.batch,
        device=cell.device,
        device_name=device_name(cell.device),
        status="error",
        reason="",
        tolerance=cell.tolerance,
        threads=cell.threads,
        seed=cell.seed,
        data=data,
        git_sha=git_sha(),
        source_hash=source_hash(system),
        versions=versions(cell.device),
        host=about,
        started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    # A process would take a second or two to say so.
    try:
        refusal = unsupported(cell, system, variant)
    except Exception as error:
        return _Contender(replace(row, reason=f"{type(error).__name__}: {error}"))
    if refusal:
        return _Contender(replace(row, status="unsupported", reason=refusal))
    process = WorkerProcess(cell.threads)
    try:
        request = {"command": "prepare", "system": system, "variant": variant, **_problem(cell)}
        process.ask(request, cell.timeout_s)
        process.ask({"command": "sample", "count": cell.warmup}, cell.timeout_s)
        return _Contender(replace(row, status="ok", n_warmup=cell.warmup), process)
    except WorkerFailure as failure:
        process.close()
        return _Contender(replace(row, status=failure.status, reason=failure.reason))


class _Rounds:
    """The rounds of contenders that are alive at once."""

    def __init__(self, cell: Cell, contenders: list[_Contender]) -> None:
        self.cell, self.contenders = cell, contenders
        self.order = random.Random(cell.seed)
        long = cell.min_seconds * 1e3 / _ROUNDS
        self.round_ms = min(cell.round_ms, long) if long else cell.round_ms
        # A system that is alone need not wait for the threads of another.
        self.pause_s = cell.pause_s if len(contenders) > 1 else 0.0

    def run(self, spare: float) -> float:
        """Until every contender has enough samples or has failed, and then while one is in doubt,
        at most `spare` seconds; returns how many of these it took."""
        while waiting := [c for c in self.alive() if not _enough(self.cell, c)]:
            for contender in self.order.sample(waiting, len(waiting)):
                self.sample(contender)
        start = time.monotonic()
        end = start + spare
        while any(self.fits(c, end) and c.doubt for c in self.alive()):
            alive = self.alive()
            for contender in self.order.sample(alive, len(alive)):
                if self.fits(contender, end):
                    self.sample(contender)
        return time.monotonic() - start

    def alive(self) -> list[_Contender]:
        return [c for c in self.contenders if c.process]

    def fits(self, contender: _Contender, end: float) -> bool:
        """Whether another round of the contender is likely to end by `end` (monotonic clock)."""
        seconds = max(self.round_ms, contender.samples[-1]) / 1e3 + self.pause_s
        return time.monotonic() + seconds <= end

    def sample(self, contender: _Contender) -> None:
        last = contender.samples[-1] if contender.samples else self.round_ms
        count = max(1, min(50, int(self.round_ms / max(last, 1e-3))))
        time.sleep(self.pause_s)
        assert contender.process is not None
        # An idle worker's threads may spin for a moment, and the parent waits: none are others.
        ours = [os.getpid(), *(c.process.pid for c in self.contenders if c.process)]
        try:
            contender.others.begin(ours)
            answer = contender.process.ask(
                {"command": "sample", "count": count}, self.cell.timeout_s
            )
            contender.others.end(ours)
            contender.samples += answer["samples_ms"]
            contender.rounds.append(count)
        except WorkerFailure as failure:
            contender.process.close()
            contender.process = None
            contender.row = replace(contender.row, status=failure.status, reason=failure.reason)


def _enough(cell: Cell, contender: _Contender) -> bool:
    """Enough samples, and enough time in them; but a call of microseconds need not fill seconds,
    and one of seconds need not be repeated as often."""
    count = len(contender.samples)
    if count >= _FEW and sum(contender.samples) >= cell.max_seconds * 1e3:
        return True
    if len(contender.rounds) < doubt.FEWEST_ROUNDS:
        return False
    long = sum(contender.samples) >= cell.min_seconds * 1e3
    return count >= cell.min_samples and (long or count >= _MANY * cell.min_samples)


def _finish(cell: Cell, contender: _Contender, reference: Path, scratch: Path) -> Row:
    row = contender.row
    if contender.process is None:
        return row
    path = scratch / f"{row.system}.{row.variant}.npz"
    try:
        answer = contender.process.ask({"command": "finish", "path": str(path)}, cell.timeout_s)
    except WorkerFailure as failure:
        return replace(row, status=failure.status, reason=failure.reason)
    finally:
        contender.process.close()
    figures = dict(answer["breakdown"])
    own_versions = figures.pop("versions")
    memory = figures.pop("peak_mem_mb")
    row = replace(
        row,
        **figures,
        profiled_ms=answer["profiled_ms"],
        energy_j=answer["energy_j"],
        peak_mem_mb=answer["peak_mem_mb"] if memory is None else memory,
        versions={**row.versions, **own_versions},
        host=contender.host,
        doubt=contender.doubt,
        rounds=contender.rounds,
        **statistics_of(contender.samples, cell.batch),
    )
    return _checked(cell, row, reference, path)


def _checked(cell: Cell, row: Row, reference: Path, outputs: Path) -> Row:
    """The row with its error against the reference; marked where that is over the tolerance."""
    with np.load(reference) as want, np.load(outputs) as got:
        if not got.files:
            return row  # a limit, not a system: it has no outputs
        structures = [n for n in want.files if "." not in n]
        wrong = [n for n in structures if n not in got.files or str(got[n]) != str(want[n])]
        if wrong:
            n = min(wrong, key=int)
            return replace(
                row,
                reason=f"instance {n}: {_short(got, n)} instead of {_short(want, n)}",
                max_abs_err=float("inf"),
            )
        errors = [np.abs(got[n] - want[n]).max() for n in want.files if "." in n]
        error = float(np.max(errors, initial=0.0))  # NaN if any is
    right = within(error, cell.tolerance)
    reason = "" if right else f"max_abs_err {error:.2e} over tolerance {cell.tolerance:g}"
    return replace(row, max_abs_err=error, reason=reason)


def cores() -> int:
    """CPUs this process may use: what "all" threads means."""
    return len(os.sched_getaffinity(0))


def _short(outputs: Any, name: str) -> str:
    text = str(outputs[name]) if name in outputs.files else "nothing"
    return text if len(text) <= 60 else text[:57] + "..."
