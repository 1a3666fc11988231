"""Facts needed about a cell before it is measured: the reference's outputs, and which systems
cannot run it. Both come from a separate process, which may hang or die in the attempt."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .cell import Cell, cores
from .printable import printable
from .worker_process import WorkerFailure, WorkerProcess

# Plain Python takes minutes for the largest mini-batches.
_REFERENCE_S = 3600.0
# A system answers at once whether it can run a cell; a process starts in a second or two.
_SUPPORTS_S = 60.0
# Characters of a message about a file.
_LONGEST = 1000
_STATUSES = ("unsupported", "skipped")


@dataclass(slots=True)
class Beforehand:
    """The facts about a cell: `data` is the label of the instances; `refusals` has the status and
    reason for each system and variant that must not be tried."""

    data: str
    refusals: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)


def problem_of(cell: Cell) -> dict[str, Any]:
    """The description of the cell that a worker needs."""
    return {
        "workload": cell.workload,
        "size": cell.size,
        "batch": cell.batch,
        "seed": cell.seed,
        "device": cell.device,
        "threads": cell.threads,
        "sst_dir": cell.sst_dir,
        "training": dataclasses.asdict(cell.training) if cell.training else None,
    }


def learn(cell: Cell, path: Path) -> Beforehand:
    """Write the outputs of plain Python to `path`, and ask each system whether it can run the cell.
    WorkerFailure if plain Python fails twice: once may be an accident, such as a stray `kill`."""
    process = _process(cell)
    request = {"command": "reference", "path": str(path), **problem_of(cell)}
    try:
        try:
            answer = process.ask(request, _REFERENCE_S)
        except WorkerFailure as failure:
            if failure.status == "timeout":
                raise
            process = _another(process, cell)
            answer = process.ask(request, _REFERENCE_S)
        if refused := answer.get("refused"):
            print(printable(str(refused), _LONGEST), file=sys.stderr)
        found = Beforehand(str(answer["data"]))
        for system, variant in cell.systems:
            try:
                refusal = _refusal(process, cell, system, variant)
            except WorkerFailure as failure:
                refusal = (failure.status, failure.reason)
                process = _another(process, cell)
            if refusal:
                found.refusals[system, variant] = refusal
        return found
    finally:
        process.close()


def _refusal(
    process: WorkerProcess, cell: Cell, system: str, variant: str
) -> tuple[str, str] | None:
    request = {"command": "supports", "system": system, "variant": variant, **problem_of(cell)}
    answer = process.ask(request, _SUPPORTS_S)
    status, reason = answer.get("status"), answer.get("reason")
    if status == "":
        return None
    if status not in _STATUSES or not isinstance(reason, str):
        raise WorkerFailure("error", "its process gave an answer that cannot be read")
    return status, WorkerFailure(status, reason).reason


def _process(cell: Cell) -> WorkerProcess:
    return WorkerProcess(cell.threads if cell.device == "cpu" else cores())


def _another(process: WorkerProcess, cell: Cell) -> WorkerProcess:
    """A new process in place of one that has failed."""
    process.close()
    return _process(cell)
