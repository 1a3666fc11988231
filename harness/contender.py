"""A system and variant in a cell: the process that is timed, its samples, the row at the end."""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import baselines

from . import doubt, host
from .answers import figures, times
from .beforehand import Beforehand, problem_of
from .cell import Cell
from .environment import device_name, git_sha, source_hash, versions
from .intervals import Timing
from .outputs import checked
from .row import Row, statistics_of
from .worker_process import WorkerFailure, WorkerProcess

# Caches, page tables and thread pools are warm after a single run of this many milliseconds.
LONG_MS = 2000.0


@dataclass(slots=True)
class Contender:
    """A system in its own process, or, without a process, its row with the reason. `samples` are in
    milliseconds; `rounds` is the number of samples taken in each round."""

    row: Row
    process: WorkerProcess | None = None
    samples: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    others: host.OtherLoad = field(default_factory=host.OtherLoad)

    @property
    def timing(self) -> Timing:
        """The samples, grouped by the rounds in which they were taken."""
        return Timing.make(self.samples, self.rounds)

    @property
    def host(self) -> dict[str, Any]:
        """The machine, and the load from other processes while this system was sampled."""
        return {**self.row.host, "load_during": self.others.share}

    @property
    def doubt(self) -> str | None:
        """Why the row may be unstable; None if that cannot be determined here."""
        return doubt.doubt_of(self.timing, self.host)


def empty_row(cell: Cell, system: str, variant: str, data: str, about: dict[str, Any]) -> Row:
    """The row with the fields that are known before anything is measured."""
    return Row(
        system=system,
        variant=variant,
        workload=cell.workload,
        model_size=cell.size,
        batch_size=cell.batch,
        device=cell.device,
        device_name=device_name(cell.device),
        status="error",
        reason="",
        tolerance=max(cell.tolerance, baselines.record(system).rounds(variant)),
        mode=cell.mode,
        rate=cell.training.rate if cell.training else None,
        optimiser=cell.training.optimiser if cell.training else None,
        threads=cell.threads,
        seed=cell.seed,
        data=data,
        git_sha=git_sha(),
        source_hash=source_hash(system),
        versions=versions(cell.device),
        host=about,
        started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def prepare(
    cell: Cell, system: str, variant: str, known: Beforehand, about: dict[str, Any]
) -> Contender:
    """A contender, started and warmed up; without a process if it cannot run the cell or failed."""
    row = empty_row(cell, system, variant, known.data, about)
    if refusal := known.refusals.get((system, variant)):
        status, reason = refusal
        return Contender(replace(row, status=status, reason=reason))
    process = WorkerProcess(cell.threads, baselines.record(system).python)
    try:
        request = {"command": "prepare", "system": system, "variant": variant, **problem_of(cell)}
        process.ask(request, cell.timeout_s)
        warmup = _warm_up(process, cell)
        return Contender(replace(row, status="ok", n_warmup=warmup), process)
    except WorkerFailure as failure:
        process.close()
        return Contender(replace(row, status=failure.status, reason=failure.reason))


def _warm_up(process: WorkerProcess, cell: Cell) -> int:
    """Run the system `cell.warmup` times, or once if a run takes long; return how often."""
    (first,) = sample(process, 1, cell.timeout_s)
    if cell.warmup < 2 or first >= LONG_MS:
        return 1
    sample(process, cell.warmup - 1, cell.timeout_s)
    return cell.warmup


def sample(process: WorkerProcess, count: int, timeout_s: float) -> list[float]:
    """The milliseconds of `count` runs; WorkerFailure if they are missing or impossible."""
    start = time.perf_counter()
    answer = process.ask({"command": "sample", "count": count}, timeout_s)
    return times(answer, count, time.perf_counter() - start)


def finish(cell: Cell, contender: Contender, reference: Path, scratch: Path) -> Row:
    """End the process and return the row, checked against the reference; the system's outputs go to
    the folder `scratch`."""
    row = contender.row
    if contender.process is None:
        return row
    path = scratch / f"{row.system}.{row.variant}.npz"
    try:
        answer = contender.process.ask({"command": "finish", "path": str(path)}, cell.timeout_s)
        found = figures(answer)
    except WorkerFailure as failure:
        return replace(row, status=failure.status, reason=failure.reason)
    finally:
        contender.process.close()
    own_versions = found.pop("versions")
    row = replace(
        row,
        **found,
        versions={**row.versions, **own_versions},
        host=contender.host,
        doubt=contender.doubt,
        rounds=contender.rounds,
        **statistics_of(contender.samples, cell.batch),
    )
    return checked(row, reference, path)
