"""Sampling in rounds: every system of a group in turn, in an order that is random in each round."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace

from . import doubt
from .cell import Cell
from .contender import Contender, sample
from .worker_process import WorkerFailure

# Samples, in multiples of the least number, that are enough however short they are.
_MANY = 50
# Samples that are taken however long they are.
_FEW = 3
# What is sampled for `min_seconds` is sampled in at least this many rounds: intervals are computed
# from rounds.
_ROUNDS = 8


class Rounds:
    """The rounds of contenders that are alive at once."""

    def __init__(self, cell: Cell, contenders: list[Contender]) -> None:
        self.cell, self.contenders = cell, contenders
        self.order = random.Random(cell.seed)
        long = cell.min_seconds * 1e3 / _ROUNDS
        self.round_ms = min(cell.round_ms, long) if long else cell.round_ms
        # A system that is alone need not wait for the threads of another.
        self.pause_s = cell.pause_s if len(contenders) > 1 else 0.0

    def run(self, spare: float) -> float:
        """Until every contender has enough samples or has failed, and then while one is in doubt,
        at most `spare` seconds; returns how many of these it took."""
        while waiting := [c for c in self.alive() if not _enough(self.cell, c)]:
            for contender in self.order.sample(waiting, len(waiting)):
                self.sample(contender)
        start = time.monotonic()
        end = start + spare
        while any(self.fits(c, end) and c.doubt for c in self.alive()):
            alive = self.alive()
            for contender in self.order.sample(alive, len(alive)):
                if self.fits(contender, end):
                    self.sample(contender)
        return time.monotonic() - start

    def alive(self) -> list[Contender]:
        """Those that have not failed."""
        return [c for c in self.contenders if c.process]

    def fits(self, contender: Contender, end: float) -> bool:
        """Whether another round of the contender is likely to end by `end` (monotonic clock)."""
        seconds = max(self.round_ms, contender.samples[-1]) / 1e3 + self.pause_s
        return time.monotonic() + seconds <= end

    def sample(self, contender: Contender) -> None:
        """One round of the contender; a failure goes into its row."""
        last = contender.samples[-1] if contender.samples else self.round_ms
        count = max(1, min(50, int(self.round_ms / max(last, 1e-3))))
        time.sleep(self.pause_s)
        assert contender.process is not None
        # An idle worker's threads may spin for a moment, and the parent waits: none are others.
        ours = [os.getpid(), *(c.process.pid for c in self.contenders if c.process)]
        try:
            contender.others.begin(ours)
            found = sample(contender.process, count, self.cell.timeout_s)
            contender.others.end(ours)
            contender.samples += found
            contender.rounds.append(count)
        except WorkerFailure as failure:
            contender.process.close()
            contender.process = None
            contender.row = replace(contender.row, status=failure.status, reason=failure.reason)


def _enough(cell: Cell, contender: Contender) -> bool:
    """Enough samples, and enough time in them; but a call of microseconds need not fill seconds,
    and one of seconds need not be repeated as often."""
    count = len(contender.samples)
    if count >= _FEW and sum(contender.samples) >= cell.max_seconds * 1e3:
        return True
    if len(contender.rounds) < doubt.FEWEST_ROUNDS:
        return False
    long = sum(contender.samples) >= cell.min_seconds * 1e3
    return count >= cell.min_samples and (long or count >= _MANY * cell.min_samples)
