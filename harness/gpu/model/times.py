"""From a schedule and the costs of its tiles to a time.

A stage is steps between two grid barriers, or one launch. Its tiles go to the programs round-robin,
and these to the multiprocessors. A multiprocessor is done when its schedulers have issued all
instructions, a program when its own warps have, one after the other; all of them when the L2 cache
has given all bytes. The longest of these counts, behind a grid barrier, or a launch, and the loads
that wait for each other: arguments, offsets, operands. Where a decision waits, one more step, or
launch, stores the values.
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
# Loads of a step that wait for each other before its first product: arguments, offsets, operands.
# Behind a grid barrier only operands are left to be loaded, and a launched kernel has its
# arguments; one that begins early loads its offsets before it waits. What is stored for a decision:
# where it is, and itself.
TRIPS, BARRIER_TRIPS, LAUNCHED_TRIPS, EARLY_TRIPS, STORED_TRIPS = 3, 1, 2, 1, 2
# Bytes that a multiprocessor gets from the L2 cache in a cycle.
L2_WIDTH = 64


@dataclass(frozen=True, slots=True)
class Predicted:
    """Of a mini-batch, in microseconds: `order` is grid barriers, or launches, `trips` loads that
    wait for each other, `tiles` the tiles, `host` what decisions wait for. `instructions` of warps,
    in millions, `megabytes` from the L2 cache; `stages` grid barriers and first ones, or launches.
    """

    order: float
    trips: float
    tiles: float
    host: float
    instructions: float
    megabytes: float
    stages: int

    @property
    def total(self) -> float:
        """Everything, one after the other."""
        return self.order + self.trips + self.tiles + self.host


def predict(
    batch: MiniBatch, costs: Costs, chip: Chip, constants: Constants, on_chip: bool = False
) -> Predicted:
    """The time of a mini-batch on the GPU, from the first transfer to the last value. `on_chip`:
    of a persistent kernel, which is not built, that keeps weights in shared memory."""
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
        # Behind a kernel, not behind the copy of a table.
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
    """Microseconds of the tiles of a stage, the instructions that its warps issue, and bytes."""
    work = [
        (cost, tiles_of(cost, step))
        for step in stage
        for cost in [costs.choose(step.spec, step.nodes)]
    ]
    count = sum(n for _, n in work)
    resident = max(1, min(cost.resident for cost, _ in work))
    programs = min(count, resident * chip.processors)
    warps = np.concatenate([np.full(n, cost.warps) for cost, n in work])
    # Cycles of a tile in which a scheduler issues nothing else.
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
    """Tiles of a step."""
    x, y = cost.variant.grid(step.nodes, step.spec.rows, step.spec.shares_tiles)
    return x * y


def _cycles(cost: TileCost, chip: Chip) -> float:
    """Of a warp's scheduler, per tile."""
    return max(cost.instructions, cost.products * chip.product_cycles)
