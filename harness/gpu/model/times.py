"""The time of a schedule, computed from the costs of its tiles.

A stage is the steps between two grid barriers, or one launch. Its tiles are assigned to programs
round-robin, and the programs to multiprocessors. A multiprocessor finishes when its schedulers have
issued all instructions; a program when its own warps have issued theirs, one after the other; the
stage when the L2 cache has delivered all bytes. The longest of these counts, preceded by a grid
barrier or a launch, and by the loads that depend on each other: arguments, offsets, operands. If a
decision waits, one more step or launch stores the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acrobat.kernels.printers.cuda.emit import EARLY_ARCH

from . import on_chip as weights_on_chip
from .chip import Chip, Constants
from .schedule import MiniBatch, Step
from .tile_cost import Costs, TileCost

SCHEDULERS = 4
# Dependent loads of a step before its first product: arguments, offsets, operands. After a grid
# barrier only operands remain to be loaded; a launched kernel already has its arguments, and one
# that starts early loads its offsets before it waits. A value stored for a decision takes two: its
# location, and the value.
TRIPS, BARRIER_TRIPS, LAUNCHED_TRIPS, EARLY_TRIPS, STORED_TRIPS = 3, 1, 2, 1, 2
# Bytes that a multiprocessor receives from the L2 cache per cycle.
L2_WIDTH = 64


@dataclass(frozen=True, slots=True)
class Predicted:
    """The predicted time of a mini-batch in microseconds: `order` for grid barriers or launches,
    `trips` for dependent loads, `tiles` for the tiles, `host` for the waits of decisions. Also the
    `instructions` of warps in millions, the `megabytes` from the L2 cache, and the number of
    `stages`: the first stages and those after a grid barrier, or the launches."""

    order: float
    trips: float
    tiles: float
    host: float
    instructions: float
    megabytes: float
    stages: int

    @property
    def total(self) -> float:
        """The sum of all times."""
        return self.order + self.trips + self.tiles + self.host


def predict(
    batch: MiniBatch, costs: Costs, chip: Chip, constants: Constants, on_chip: bool = False
) -> Predicted:
    """The time of a mini-batch on the GPU, from the first transfer to the last value. `on_chip`:
    for a persistent kernel that keeps weights in shared memory, which is not built."""
    stages = [stage for computation in batch.computations for stage in computation]
    if not costs.persistent:
        stages = [[step] for stage in stages for step in stage]
    tiles = instructions = moved = 0.0
    for stage in stages:
        if on_chip and all(step.spec.gates for step in stage):
            took, issued, read = weights_on_chip.stage_time(stage, chip)
        else:
            took, issued, read = stage_time(stage, costs, chip, constants)
        tiles += took
        instructions += issued
        moved += read
    computations = sum(bool(c) for c in batch.computations)
    if costs.persistent:
        barriers = sum(len(c) - 1 for c in batch.computations if c)
        order = computations * constants.launch + (barriers + batch.waits) * constants.grid_barrier
        waited = (TRIPS * (len(stages) - barriers) + BARRIER_TRIPS * barriers) * constants.trip
    else:
        # A launch can start early after a kernel, but not after the copy of a table.
        early = len(stages) - computations if chip.arch >= EARLY_ARCH else 0
        plain = len(stages) - early
        order = (plain + batch.waits) * constants.launch + early * constants.early
        waited = (LAUNCHED_TRIPS * plain + EARLY_TRIPS * early) * constants.trip
    waited += STORED_TRIPS * batch.waits * constants.trip
    host = constants.host * (batch.waits + 1)
    return Predicted(order, waited, tiles, host, instructions / 1e6, moved / 1e6, len(stages))


def stage_time(
    stage: Sequence[Step], costs: Costs, chip: Chip, constants: Constants
) -> tuple[float, float, float]:
    """The time of a stage's tiles in microseconds, the instructions that its warps issue, and the
    bytes read from the L2 cache."""
    work = [
        (cost, tiles_of(cost, step))
        for step in stage
        for cost in [costs.choose(step.spec, step.nodes)]
    ]
    count = sum(n for _, n in work)
    resident = max(1, min(cost.resident for cost, _ in work))
    programs = min(count, resident * chip.processors)
    warps = np.concatenate([np.full(n, cost.warps) for cost, n in work])
    # Cycles that a warp of each tile occupies its scheduler.
    cycles = np.concatenate([np.full(n, _cycles(cost, chip)) for cost, n in work])
    read = np.concatenate([np.full(n, cost.bytes) for cost, n in work])
    program = np.arange(count) % programs
    processor = program % chip.processors
    of_processor = np.bincount(processor, cycles * warps / SCHEDULERS)
    of_program = np.bincount(program, cycles * np.ceil(warps / SCHEDULERS))
    here = np.bincount(np.arange(programs) % chip.processors)
    busy = float(np.max(of_processor / constants.rate(here.max() * warps.max() / SCHEDULERS)))
    alone = float(of_program.max() / constants.rate(warps.max() / SCHEDULERS))
    width = float(np.bincount(processor, read).max()) / L2_WIDTH
    took = max(max(busy, alone, width) / chip.clock / 1e3, read.sum() / chip.l2_tb / 1e6)
    issued = float(sum(n * cost.instructions * cost.warps for cost, n in work))
    return took, issued, float(read.sum())


def tiles_of(cost: TileCost, step: Step) -> int:
    """The number of tiles of a step."""
    x, y = cost.variant.grid(step.nodes, step.spec.rows, step.spec.shares_tiles)
    return x * y


def _cycles(cost: TileCost, chip: Chip) -> float:
    """Cycles that a warp of a tile occupies its scheduler."""
    return max(cost.instructions, cost.products * chip.product_cycles)
