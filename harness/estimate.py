"""An estimate of how long cells take on two cores: a simple rule based on measured rows. It is
accurate within a factor of 1.5 for the runs timed so far (tests/harness/test_estimates.py)."""

from __future__ import annotations

from collections.abc import Iterable

import baselines
import workloads
from baselines.api import Problem, Unsupported

from .cell import Cell
from .contender import LONG_MS

# Time of an instance at `small`: the mean over the systems in results/reference/epyc-zen3-2core,
# 0.3 to 1.4 ms for all workloads but two.
_INSTANCE_S = {"berxit": 0.12, "nestedrnn": 0.011}
_USUAL_INSTANCE_S = 0.001
# In results/reference/xeon-avx512-2core, `large` takes 2.8 to 5.6 times as long, and an instance at
# `tiny` takes 0.1 to 0.3 ms for every workload.
_LARGE, _TINY_S = 3.5, 0.0002
# Runs of a system that are not samples: the warm-up runs, one if they take long, and the run that
# is checked.
_UNTIMED, _UNTIMED_LONG = 4, 2
# Two systems that are prepared at once take two thirds of the time.
_AT_ONCE = 1.5
# Time including the pauses before rounds, relative to that of the samples alone.
_BESIDE = 1.6


def estimate_s(cell: Cell) -> float:
    """Estimated seconds for a cell: its systems' processes are started and prepared, then sampled,
    and most cells use up the extra time allowed while rows are unstable. A system that cannot run
    the workload takes no time; one with a native build counts whether or not it is built yet."""
    run = _run_s(cell)
    enough = max(_BESIDE * cell.min_seconds, cell.min_samples * run)
    untimed = (_UNTIMED_LONG if run >= LONG_MS / 1e3 else _UNTIMED) * run
    sampled = min(enough, max(cell.max_seconds, 3 * run)) + untimed
    there = [
        (system, variant) for system, variant in cell.systems if _can_run(cell, system, variant)
    ]
    spare = cell.noisy_seconds if there else 0.0
    prepared = sum(_prepare_s(cell, system, variant) for system, variant in there)
    return prepared + len(there) * sampled + spare


def takes(cells: Iterable[Cell]) -> str:
    """The estimate for all cells together, for a message: "about 40 min", "about 3.5 h"."""
    minutes = sum(map(estimate_s, cells)) / 60
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.1f} h"


def _run_s(cell: Cell) -> float:
    """Seconds of a mini-batch: the mean over the systems."""
    if cell.size == "tiny":
        return cell.batch * _TINY_S
    instance = _INSTANCE_S.get(cell.workload, _USUAL_INSTANCE_S)
    return cell.batch * instance * (_LARGE if cell.size == "large" else 1)


def _prepare_s(cell: Cell, system: str, variant: str) -> float:
    if not baselines.is_ours(system):
        return 5.0
    record = baselines.record(system)
    at_once = 1 if record.is_timing(variant, cell.device) else _AT_ONCE
    return record.prepare_s / at_once + (record.search_s(variant) if record.search_s else 0.0)


def _can_run(cell: Cell, system: str, variant: str) -> bool:
    """Whether the system says that it can run the cell. External systems are not asked, since they
    may never return."""
    if not baselines.is_ours(system):
        return True
    implementation, training = workloads.get(cell.workload).implementation, cell.training
    where = (cell.size, cell.batch, cell.seed, cell.device, cell.threads)
    problem = Problem(implementation, *where, variant, None, [], training)
    return not isinstance(baselines.supports(system, problem), Unsupported)
