"""The schedule of a mini-batch: the batches of each computation, from a run on the CPU, which has
the same blocks and the same schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import acrobat as ab
import workloads
from acrobat.kernels.specification.levels import kernel_levels
from acrobat.kernels.specification.spec import KernelSpec
from workloads.data.source import find_source


@dataclass(frozen=True, slots=True)
class Step:
    """A kernel over `nodes` nodes."""

    spec: KernelSpec
    nodes: int


@dataclass(frozen=True, slots=True)
class MiniBatch:
    """The schedule of a mini-batch. `computations`: the stages of each computation, in order; the
    steps of a stage may run concurrently. A stage combines the batches of one depth; the run-time,
    which compares addresses, combines more. `waits`: the number of computations that the host waits
    for before a decision."""

    computations: Sequence[Sequence[Sequence[Step]]]
    waits: int


def mini_batch(workload: str, size: str, batch: int) -> tuple[MiniBatch, list[KernelSpec]]:
    """The schedule of the mini-batch that the harness measures, and all kernels of the model."""
    source = find_source()
    made = workloads.get(workload)
    fast = ab.compile(made.model, made.make_params(size, 0, source), "cpu")
    instances = made.make_instances(size, batch, 0, source)
    fast(instances)  # later runs use what the first one has learned
    trace = fast.trace(instances)
    plans = fast.compilation.plans
    levels = [kernel_levels(plan) for plan in plans]
    found: list[list[list[Step]]] = []
    rows = [
        (int(b["computation"]), (int(b["phase"]), int(b["depth"])), int(b["block"]), int(b["n"]))
        for b in trace.batches
    ]
    for _, computation in groupby(rows, key=lambda row: row[0]):
        stages: list[list[Step]] = []
        for _, together in groupby(computation, key=lambda row: row[1]):
            batches = [(block, n) for *_, block, n in together]
            deepest = max((max(levels[block], default=0) for block, _ in batches), default=0)
            for level in range(deepest + 1):
                stage = [
                    Step(spec, n)
                    for block, n in batches
                    for spec, own in zip(plans[block].kernels, levels[block], strict=True)
                    if own == level
                ]
                if stage:
                    stages.append(stage)
        found.append(stages)
    every = [spec for plan in plans for spec in plan.kernels]
    return MiniBatch(found, trace.profile.n_syncs), every
