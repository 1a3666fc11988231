"""About how long cells take on two cores: a simple rule with figures of measured rows. It holds
within a factor of 1.5 for what has been timed (tests/harness/test_estimates.py)."""

from __future__ import annotations

from collections.abc import Iterable

import baselines
import workloads
from baselines.api import Problem, Unsupported

from .cell import Cell

# Of an instance at `small`: the mean over the systems in results/reference/epyc-zen3-2core, from
# 0.3 to 1.4 ms but for two workloads.
_INSTANCE_S = {"berxit": 0.12, "nestedrnn": 0.011}
_USUAL_INSTANCE_S = 0.001
# In results/reference/xeon-avx512-2core `large` takes 2.8 to 5.6 times as long, and an instance at
# `tiny` 0.1 to 0.3 ms, whatever the workload.
_LARGE, _TINY_S = 3.5, 0.0002
# Runs of a system that are no samples: warm-ups, and the one that is checked.
_UNTIMED = 4
# Pauses before rounds, beside the samples.
_BESIDE = 1.6


def estimate_s(cell: Cell) -> float:
    """Seconds that a cell takes: its systems' processes are started and prepared, then sampled, and
    most cells use up what they may take longer while rows are unstable. A system that cannot run
    the workload takes none; one that is built natively counts, built or not yet."""
    run = _run_s(cell)
    enough = max(_BESIDE * cell.min_seconds, cell.min_samples * run)
    sampled = min(enough, max(cell.max_seconds, 3 * run)) + _UNTIMED * run
    there = [
        (system, variant) for system, variant in cell.systems if _can_run(cell, system, variant)
    ]
    spare = cell.noisy_seconds if there else 0.0
    return sum(_prepare_s(system, variant) + sampled for system, variant in there) + spare


def takes(cells: Iterable[Cell]) -> str:
    """What all of them take, for a message: "about 40 min", "about 3.5 h"."""
    minutes = sum(map(estimate_s, cells)) / 60
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.1f} h"


def _run_s(cell: Cell) -> float:
    """Of a mini-batch: the mean of the systems."""
    if cell.size == "tiny":
        return cell.batch * _TINY_S
    instance = _INSTANCE_S.get(cell.workload, _USUAL_INSTANCE_S)
    return cell.batch * instance * (_LARGE if cell.size == "large" else 1)


def _prepare_s(system: str, variant: str) -> float:
    if not baselines.is_ours(system):
        return 5.0
    record = baselines.record(system)
    return record.prepare_s + (record.search_s(variant) if record.search_s else 0.0)


def _can_run(cell: Cell, system: str, variant: str) -> bool:
    """What the system says. Others' are not asked: that may never end."""
    if not baselines.is_ours(system):
        return True
    implementation, training = workloads.get(cell.workload).implementation, cell.training
    where = (cell.size, cell.batch, cell.seed, cell.device, cell.threads)
    problem = Problem(implementation, *where, variant, None, [], training)
    return not isinstance(baselines.supports(system, problem), Unsupported)
