"""Sampling in rounds: every system of a group in turn, in a new random order in each round."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace

from . import doubt
from .cell import Cell
from .contender import Contender, sample
from .worker_process import WorkerFailure

# Number of samples, as a multiple of the minimum, that is enough however short they are.
_MANY = 50
# Number of samples that are taken however long they are.
_FEW = 3
# The `min_seconds` of sampling are spread over at least this many rounds, since intervals are
# computed from rounds.
_ROUNDS = 8


class Rounds:
    """The rounds of a group of contenders that are alive at the same time."""

    def __init__(self, cell: Cell, contenders: list[Contender]) -> None:
        self.cell, self.contenders = cell, contenders
        self.order = random.Random(cell.seed)
        long = cell.min_seconds * 1e3 / _ROUNDS
        self.round_ms = min(cell.round_ms, long) if long else cell.round_ms
        # A system alone in its group need not wait for the threads of another.
        self.pause_s = cell.pause_s if len(contenders) > 1 else 0.0

    def run(self, spare: float) -> float:
        """Run rounds until every contender has enough samples or has failed, then for at most
        `spare` seconds while one is in doubt; return the number of these seconds used."""
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
        """The contenders that have not failed."""
        return [c for c in self.contenders if c.process]

    def fits(self, contender: Contender, end: float) -> bool:
        """Whether another round of the contender will probably end by `end` (monotonic clock)."""
        seconds = max(self.round_ms, contender.samples[-1]) / 1e3 + self.pause_s
        return time.monotonic() + seconds <= end

    def sample(self, contender: Contender) -> None:
        """Run one round of the contender; a failure is recorded in its row."""
        last = contender.samples[-1] if contender.samples else self.round_ms
        count = max(1, min(50, int(self.round_ms / max(last, 1e-3))))
        time.sleep(self.pause_s)
        assert contender.process is not None
        # Idle workers may spin for a moment, and the parent waits; none of them counts as others.
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
    """Whether a contender has enough samples, covering enough time. Calls of microseconds need not
    add up to seconds, and calls of seconds need fewer repetitions."""
    count = len(contender.samples)
    if count >= _FEW and sum(contender.samples) >= cell.max_seconds * 1e3:
        return True
    if len(contender.rounds) < doubt.FEWEST_ROUNDS:
        return False
    long = sum(contender.samples) >= cell.min_seconds * 1e3
    return count >= cell.min_samples and (long or count >= _MANY * cell.min_samples)
