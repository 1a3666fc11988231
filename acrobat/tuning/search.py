"""The search for a kernel's schedule, within a number of seconds.

The schedule found by an earlier search is tried first. Then the search goes dimension by dimension,
from the best so far (`candidates`), with few rounds per schedule. A schedule that looks fast in
them may have been lucky, so the fastest are measured again, with many rounds. Of those whose whole
interval is above the rule's speed, and that are not slower on any class of calls, the best is
taken. In doubt the rule's schedule is kept: noise does not choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..kernels.printers.cpu.rule import schedule_by_rule
from ..kernels.printers.cpu.schedule import Schedule
from ..kernels.printers.cpu.target import CpuTarget
from ..kernels.specification.spec import KernelSpec
from .bench import Bench
from .candidates import DIMENSIONS, candidates
from .paired import Paired, Speedup

# Rounds of the screening, and of the decision.
SCREENING, DECIDING = 5, 31

# The number of schedules in the decision, and the share of the time that it may take.
_FINALISTS, _DECISION = 3, 0.3

# The next dimension starts from another schedule only if the screening shows this factor.
_PROMISING = 1.005

# The least speed-up over the rule that every class of calls must have.
_WORST = 0.98


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: the rule's schedule, or one that is faster. `paired`: the measurement
    that decided; None if the rule's was kept. `tried`: how many schedules were measured."""

    schedule: Schedule
    paired: Paired | None
    tried: int
    by_rule: bool

    @property
    def speedup(self) -> Speedup:
        """The speed-up over the rule."""
        return Speedup(1.0, 1.0, 1.0) if self.paired is None else self.paired.speedup


def search(
    spec: KernelSpec,
    target: CpuTarget,
    bench: Bench,
    seconds: float,
    clock: Callable[[], float],
    known: Schedule | None = None,
    watch: Callable[[], None] = lambda: None,
) -> Found:
    """The best schedule for `spec` that can be found in about `seconds` by the `clock`. `known`: a
    schedule found before, which fits; `watch` is called after each schedule tried."""
    begin = clock()
    rule = schedule_by_rule(spec, target)
    gains, seen = {rule: 1.0}, {bench.key(rule)}
    until = begin + seconds * (1 - _DECISION)
    best, again = rule, True

    def look(tried: Iterable[Schedule]) -> Schedule:
        """Try these; return the best of all tried so far if it is promising, else `best`."""
        for candidate in tried:
            key = bench.key(candidate)
            if key in seen:
                continue
            if clock() >= until:
                break
            seen.add(key)
            paired = bench.compare(candidate, SCREENING)
            gains[candidate] = 0.0 if paired is None else paired.speedup.median
            watch()
        found = max(gains, key=lambda s: gains[s])
        return found if gains[found] > gains[best] * _PROMISING else best

    best = look([known] if known is not None else [])
    while again and clock() < until:
        before = best
        for dimension in DIMENSIONS:
            best = look(candidates(dimension, best, spec, target))
        again = best != before
    return _decide(rule, gains, bench, begin + seconds, clock)


def _decide(
    rule: Schedule,
    gains: dict[Schedule, float],
    bench: Bench,
    until: float,
    clock: Callable[[], float],
) -> Found:
    """The best of the finalists whose gain is confirmed; the rule's schedule if none is."""
    finalists = sorted((s for s in gains if gains[s] > 1.0), key=lambda s: -gains[s])[:_FINALISTS]
    taken: Found | None = None
    for schedule in finalists:
        if taken is not None and clock() >= until:
            break
        paired = bench.compare(schedule, DECIDING)
        if paired is None or paired.speedup.low <= 1.0 or paired.worst < _WORST:
            continue
        if taken is None or paired.speedup.median > taken.speedup.median:
            taken = Found(schedule, paired, len(gains) - 1, by_rule=False)
    return taken or Found(rule, None, len(gains) - 1, by_rule=True)
