"""A kernel's times without a kernel: what a schedule takes is a formula, and noise is planted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acrobat.kernels.printers.cpu.schedule import Schedule
from acrobat.tuning.paired import Paired


class FakeBench:
    """Microseconds by `cost(schedule, rows class)`, times noise that both have in a round, and some
    that each has alone. `clock` goes on by `seconds_each` for every schedule that is measured."""

    def __init__(
        self,
        rule: Schedule,
        cost: Callable[[Schedule, int], float],
        classes: int = 2,
        noise: float = 0.02,
        seconds_each: float = 0.5,
        wrong: Callable[[Schedule], bool] = lambda s: False,
        seed: int = 0,
    ) -> None:
        self.rule, self.cost, self.n, self.noise = rule, cost, classes, noise
        self.seconds_each, self.wrong = seconds_each, wrong
        self.now = 0.0
        self.seen: list[tuple[Schedule, int]] = []
        self._rng = np.random.default_rng(seed)

    def clock(self) -> float:
        return self.now

    def key(self, schedule: Schedule) -> object:
        return schedule

    def compare(self, schedule: Schedule, rounds: int) -> Paired | None:
        self.now += self.seconds_each
        self.seen.append((schedule, rounds))
        if self.wrong(schedule):
            return None
        # A neighbour takes the core away for some rounds.
        common = 1 + 2 * (self._rng.random((rounds, 1)) < 0.2)

        def times(s: Schedule) -> np.ndarray:
            own = 1 + self.noise * np.abs(self._rng.normal(size=(rounds, self.n)))
            return np.array([self.cost(s, c) for c in range(self.n)]) * common * own

        return Paired(times(self.rule), times(schedule), (1.0,) * self.n)
