"""Times schedules of a kernel in alternation with the rule's, on the calls that mini-batches
make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from ..kernels.printers.cpu.rule import schedule_by_rule
from ..kernels.printers.cpu.schedule import Schedule
from ..kernels.printers.cpu.target import CpuTarget
from ..kernels.specification.spec import KernelSpec
from ..log import logger
from .operands import Operands
from .paired import Paired
from .timed_loop import TimedLoop, parts_of
from .uses import Calls

# The approximate duration of a sample: long compared with the clock's resolution, short compared
# with the core's other work.
_SAMPLE_NS = 3e5


class Bench(Protocol):
    """What a search requires of a bench."""

    def compare(self, schedule: Schedule, rounds: int) -> Paired | None:
        """Time the rule's schedule and `schedule`; None if their results differ in any bit."""

    def key(self, schedule: Schedule) -> object:
        """A key that is equal for schedules that do the same in the measured calls."""


class KernelBench:
    """Times schedules of one kernel. `folder` holds the compiled libraries and must outlive this
    object."""

    def __init__(
        self, spec: KernelSpec, target: CpuTarget, calls: Sequence[Calls], folder: Path
    ) -> None:
        self.spec, self.target, self.calls, self._folder = spec, target, tuple(calls), folder
        self._operands = Operands(spec, max(c.nodes for c in calls))
        self._made: dict[Schedule, TimedLoop | None] = {}
        self._rule = self._loop(schedule_by_rule(spec, target))
        self._wanted = [self._rule.results(c.nodes) for c in self.calls]
        # Warm up, and determine how often a call is repeated for a sample.
        times = [min(self._rule.nanoseconds(c.nodes) for _ in range(3)) for c in self.calls]
        self._repeats = [max(1, round(_SAMPLE_NS / max(t, 1.0))) for t in times]

    def compare(self, schedule: Schedule, rounds: int) -> Paired | None:
        """Time the rule's schedule and `schedule`; None if their results differ in any bit."""
        tuned = self._checked(schedule)
        if tuned is None:
            return None
        times = np.empty((2, rounds, len(self.calls)))
        for n in range(rounds):
            # The second loop finds operands in the cache, so the order alternates.
            pair = [(0, self._rule), (1, tuned)]
            for which, loop in pair if n % 2 else reversed(pair):
                for c, (call, repeat) in enumerate(zip(self.calls, self._repeats, strict=True)):
                    times[which, n, c] = loop.nanoseconds(call.nodes, repeat) / 1e3
        return Paired(times[0], times[1], tuple(c.weight for c in self.calls))

    def key(self, schedule: Schedule) -> object:
        """A key that is equal for schedules that do the same in the measured calls: the loop over
        k, and all tiles of all calls."""
        s = schedule
        loop = s.lanes, s.vectors, s.gates, s.unroll, s.ahead, s.ahead > 0 and s.by_line
        tiles = repr([parts_of(c.nodes * self.spec.rows, s) for c in self.calls])
        return *loop, len(s.tiles) == 1, tiles

    def _checked(self, schedule: Schedule) -> TimedLoop | None:
        if schedule not in self._made:
            loop = self._loop(schedule)
            got = [loop.results(c.nodes) for c in self.calls]
            if got != self._wanted:
                # Every schedule sums in the same order, so this is a fault of the template.
                logger.warning("%s: %s computes other bits; left out", self.spec.name, schedule)
            self._made[schedule] = loop if got == self._wanted else None
        return self._made[schedule]

    def _loop(self, schedule: Schedule) -> TimedLoop:
        rows = [c.nodes * self.spec.rows for c in self.calls]
        number = len(list(self._folder.glob("*.so")))
        return TimedLoop(
            self.spec, schedule, self.target, rows, self._operands, self._folder, number
        )
