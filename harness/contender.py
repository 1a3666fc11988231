"""A system and variant in a cell: the process that is timed, its samples, the row at the end."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import baselines
from baselines.api import Problem, Unsupported

from . import doubt, host
from .cell import Cell
from .environment import device_name, git_sha, source_hash, versions
from .intervals import Timing
from .row import Row, statistics_of, within
from .worker_process import WorkerFailure, WorkerProcess


@dataclass(slots=True)
class Contender:
    """A system in its own process, or, without one, its row with the reason. `samples` are
    milliseconds, `rounds` how many of them each round took."""

    row: Row
    process: WorkerProcess | None = None
    samples: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    others: host.OtherLoad = field(default_factory=host.OtherLoad)

    @property
    def timing(self) -> Timing:
        """The samples, with the rounds that they were taken in."""
        return Timing.make(self.samples, self.rounds)

    @property
    def host(self) -> dict[str, Any]:
        """The machine, and the load of others while this system was sampled."""
        return {**self.row.host, "load_during": self.others.share}

    @property
    def doubt(self) -> str | None:
        """Why the row may be unstable; None if that cannot be known here."""
        return doubt.doubt_of(self.timing, self.host)


def problem_of(cell: Cell) -> dict[str, Any]:
    """What a worker must know of the cell."""
    return {
        "workload": cell.workload,
        "size": cell.size,
        "batch": cell.batch,
        "seed": cell.seed,
        "device": cell.device,
        "threads": cell.threads,
        "sst_dir": cell.sst_dir,
    }


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


def empty_row(cell: Cell, system: str, variant: str, data: str, about: dict[str, Any]) -> Row:
    """What is known of a row before anything was measured."""
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


def prepare(cell: Cell, system: str, variant: str, data: str, about: dict[str, Any]) -> Contender:
    """Started and warmed up; without a process if it cannot run the cell or failed."""
    row = empty_row(cell, system, variant, data, about)
    # A process would take a second or two to say so.
    try:
        refusal = unsupported(cell, system, variant)
    except Exception as error:
        return Contender(replace(row, reason=f"{type(error).__name__}: {error}"))
    if refusal:
        return Contender(replace(row, status="unsupported", reason=refusal))
    process = WorkerProcess(cell.threads)
    try:
        request = {"command": "prepare", "system": system, "variant": variant, **problem_of(cell)}
        process.ask(request, cell.timeout_s)
        process.ask({"command": "sample", "count": cell.warmup}, cell.timeout_s)
        return Contender(replace(row, status="ok", n_warmup=cell.warmup), process)
    except WorkerFailure as failure:
        process.close()
        return Contender(replace(row, status=failure.status, reason=failure.reason))


def finish(cell: Cell, contender: Contender, reference: Path, scratch: Path) -> Row:
    """The row, checked against the reference; ends the process. `scratch` is for its outputs."""
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


def _short(outputs: Any, name: str) -> str:
    text = str(outputs[name]) if name in outputs.files else "nothing"
    return text if len(text) <= 60 else text[:57] + "..."
