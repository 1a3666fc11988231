"""A cell: one workload, size, batch and thread count, measured with every system in rounds.

The systems of a cell are alive at once, each in its own process, and take turns in rounds (A B C,
C A B, ...): whatever the machine does meanwhile, it does to all of them. The order of a round is
drawn, so that nobody always finds the caches as the same other leaves them. (If memory is short, as
many as fit take turns, and then the others; a system is out of memory only if it is that alone.) A
turn is one sample, or as many as fit into `turn_ms`. After a turn there is a pause: an idle OpenMP
runtime spins for a while before it sleeps (200 ms is a common default; the workers set it to less),
and nobody must time beside another's spinning threads.
"""

from __future__ import annotations

import datetime
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import baselines
from baselines.api import Problem, Unsupported
from baselines.registry import CHOOSING

from .environment import device_name, free_memory, git_sha, source_hash, versions
from .row import Row, statistics_of
from .worker_process import WorkerFailure, WorkerProcess

TOLERANCE = 1e-4


# Samples, in multiples of the least number, that are enough however short they are.
_MANY = 50
# Samples that are taken however long they are.
_FEW = 3
# The part of the machine's memory that stays free while another system is started.
_LEAST_FREE = 0.5


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured, and how long. `systems` are (system, variant) pairs; `label` is the number
    of threads as it was asked for, "all" or a number, in the names of files and rules: what "all"
    stands for is known where the cell runs."""

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
    warmup: int = 3
    timeout_s: float = 300.0
    turn_ms: float = 100.0
    pause_s: float = 0.05
    tolerance: float = TOLERANCE
    label: str = ""


@dataclass(slots=True)
class _Contender:
    row: Row
    process: WorkerProcess | None
    samples: list[float]


def measure_cell(cell: Cell, write: Callable[[Row], object] = lambda _: None) -> list[Row]:
    """One row per system of the cell, whatever happens to it; `write` gets each as it is made."""
    with tempfile.TemporaryDirectory() as scratch:
        reference = Path(scratch) / "reference.npz"
        data = _reference(cell, reference)
        rows: list[Row] = []
        waiting = sorted(cell.systems, key=lambda pair: _is_alone(cell, pair[0]))
        while waiting:
            group = _together(cell, waiting, data)
            _rounds(cell, group)
            for contender in group:
                rows.append(_finish(cell, contender, reference, Path(scratch)))
                write(rows[-1])
            waiting = waiting[len(group) :]
        return rows


def _is_alone(cell: Cell, system: str) -> bool:
    """On a GPU, where all others are prepared at once, what chooses by timing is alone."""
    return cell.device == "cuda" and system in CHOOSING


def _together(cell: Cell, systems: Sequence[tuple[str, str]], data: str) -> list[_Contender]:
    """The first of `systems`, prepared, as many as there is memory for; at least one.

    On a GPU, where a process needs seconds to start, all are prepared at once."""
    group: list[_Contender] = []
    first, first_variant = systems[0]
    if _is_alone(cell, first):
        return [_prepare(cell, first, first_variant, data)]
    if cell.device == "cuda":
        beside = [s for s in systems if not _is_alone(cell, s[0])]
        with ThreadPoolExecutor(max_workers=cores()) as pool:
            return list(pool.map(lambda pair: _prepare(cell, pair[0], pair[1], data), beside))
    for system, variant in systems:
        others = any(c.process for c in group)
        if others and free_memory() < _LEAST_FREE:
            break
        contender = _prepare(cell, system, variant, data)
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


def _prepare(cell: Cell, system: str, variant: str, data: str) -> _Contender:
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
        threads=cell.threads,
        seed=cell.seed,
        data=data,
        git_sha=git_sha(),
        source_hash=source_hash(system),
        versions=versions(cell.device),
        started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
    # A process would take a second or two to say so.
    try:
        refusal = unsupported(cell, system, variant)
    except Exception as error:
        return _Contender(replace(row, reason=f"{type(error).__name__}: {error}"), None, [])
    if refusal:
        return _Contender(replace(row, status="unsupported", reason=refusal), None, [])
    process = WorkerProcess(cell.threads)
    try:
        request = {"command": "prepare", "system": system, "variant": variant, **_problem(cell)}
        process.ask(request, cell.timeout_s)
        process.ask({"command": "sample", "count": cell.warmup}, cell.timeout_s)
        return _Contender(replace(row, status="ok", n_warmup=cell.warmup), process, [])
    except WorkerFailure as failure:
        process.close()
        return _Contender(replace(row, status=failure.status, reason=failure.reason), None, [])


def _rounds(cell: Cell, contenders: list[_Contender]) -> None:
    """Turns until every contender has enough samples or has failed."""
    order = random.Random(cell.seed)
    # Who is alone need not make way for others.
    turn_ms = cell.turn_ms if len(contenders) > 1 else 10 * cell.turn_ms
    while True:
        open_ = [c for c in contenders if c.process and not _enough(cell, c)]
        if not open_:
            return
        for contender in order.sample(open_, len(open_)):
            last = contender.samples[-1] if contender.samples else turn_ms
            left = max(0.0, cell.max_seconds * 1e3 - sum(contender.samples))
            count = max(1, min(50, int(min(turn_ms, left) / max(last, 1e-3))))
            time.sleep(cell.pause_s)
            assert contender.process is not None
            try:
                answer = contender.process.ask(
                    {"command": "sample", "count": count}, cell.timeout_s
                )
                contender.samples += answer["samples_ms"]
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
        energy_j=answer["energy_j"],
        peak_mem_mb=answer["peak_mem_mb"] if memory is None else memory,
        versions={**row.versions, **own_versions},
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
    reasons = []
    if not error <= cell.tolerance:  # NaN is over every tolerance
        reasons.append(f"max_abs_err {error:.2e} over tolerance {cell.tolerance:g}")
    assert row.iqr_ms is not None and row.median_ms is not None
    if row.iqr_ms > 0.1 * row.median_ms:
        reasons.append("this result may be unstable: the IQR is over 10% of the median")
    return replace(row, max_abs_err=error, reason="; ".join(reasons))


def cores() -> int:
    """CPUs this process may use: what "all" threads means."""
    return len(os.sched_getaffinity(0))


def _short(outputs: Any, name: str) -> str:
    text = str(outputs[name]) if name in outputs.files else "nothing"
    return text if len(text) <= 60 else text[:57] + "..."
