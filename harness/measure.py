"""Measuring a cell with every system in rounds.

The systems of a cell are alive at the same time, each in its own process, and are sampled in rounds
(A B C, C A B, ...), so that disturbances of the machine affect all of them. The order within a
round is random, so that no system always finds the caches in the state left by the same
predecessor. (If memory is short, as many systems as fit are measured together, then the others; a
system counts as out of memory only if it runs out alone.) In a round, a system takes one sample, or
as many as fit into `round_ms`. There is a pause before each system: an idle OpenMP runtime spins
for a while before it sleeps (200 ms is a common default; the workers set it lower), and spinning
threads must not disturb the timed system.

When all have enough samples, the rounds continue while some row may be unstable (`harness.doubt`)
and the cell's `noisy_seconds` are not used up. All systems take part, not only the unstable ones:
both sides of a ratio must come from the same period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import baselines

from . import host
from .beforehand import Beforehand, learn
from .cell import Cell, cores
from .contender import Contender, empty_row, finish, prepare
from .environment import free_memory
from .rounds import Rounds
from .row import Row
from .tied import scratch_folder
from .worker_process import WorkerFailure

# The fraction of the machine's memory that must be free before another system is started.
_LEAST_FREE = 0.5


def measure_cell(cell: Cell, write: Callable[[Row], object] = lambda _: None) -> list[Row]:
    """Measure a cell; return one row per system, in the cell's order, whatever happens to it.
    `write` gets each row once it is complete."""
    about = host.describe(host.load_now())
    rows: list[Row] = []
    # A worker ends with the thread that started it, so the pool's threads stay until the end.
    with scratch_folder() as scratch, ThreadPoolExecutor(max_workers=cores()) as pool:
        reference = Path(scratch) / "reference.npz"
        try:
            known = learn(cell, reference)
        except WorkerFailure as failure:
            why = f"the reference, plain Python, failed: {failure.reason}"
            for system, variant in cell.systems:
                rows.append(replace(empty_row(cell, system, variant, "", about), reason=why))
                write(rows[-1])
            return rows
        spare = cell.noisy_seconds
        waiting = sorted(cell.systems, key=lambda pair: _is_timing(cell, *pair))
        while waiting:
            group: list[Contender] = []
            try:
                _together(cell, waiting, known, about, pool, group)
                spare -= Rounds(cell, group).run(spare)
                for contender in group:
                    rows.append(finish(cell, contender, reference, Path(scratch)))
                    write(rows[-1])
            finally:
                for contender in group:
                    if contender.process:
                        contender.process.close()
            done = {(contender.row.system, contender.row.variant) for contender in group}
            waiting = [pair for pair in waiting if pair not in done]
    return sorted(rows, key=lambda row: cell.systems.index((row.system, row.variant)))


def _is_timing(cell: Cell, system: str, variant: str) -> bool:
    return baselines.record(system).is_timing(variant, cell.device)


def _together(
    cell: Cell,
    systems: Sequence[tuple[str, str]],
    known: Beforehand,
    about: dict[str, Any],
    pool: ThreadPoolExecutor,
    group: list[Contender],
) -> None:
    """Prepare as many of `systems` as memory allows, but at least one, and add them to `group`:
    those that choose nothing by timing come first, as many at once as there are cores. On a GPU,
    where a process takes seconds to start, these are prepared all at once, and each of the others
    is in a group of its own."""

    def prepared(*pairs: tuple[str, str]) -> list[Contender]:
        return list(pool.map(lambda pair: prepare(cell, pair[0], pair[1], known, about), pairs))

    untimed = [pair for pair in systems if not _is_timing(cell, *pair)]
    if cell.device == "cuda":
        group += prepared(*(untimed or systems[:1]))
        return
    left = list(systems)
    while left:
        others = any(contender.process for contender in group)
        if (scarce := free_memory() < _LEAST_FREE) and others:
            break
        pairs = untimed[: 1 if scarce else cores()] or left[:1]
        untimed, left = untimed[len(pairs) :], left[len(pairs) :]
        found = prepared(*pairs)
        beside = others or len(pairs) > 1
        group += [c for c in found if not (beside and c.row.status == "oom")]
        if beside and any(c.row.status == "oom" for c in found):
            break
    if not group:  # There was not enough memory for all of the first ones together.
        group += prepared(systems[0])
