"""The search for a kernel's schedule, within some seconds.

What was found another time is looked at first. Then dimension by dimension, from the best so far
(`candidates`), with few rounds each: what looks fast then may have been lucky. The fastest are
therefore measured again, with many rounds, and the best of those that are faster than the rule
beyond their interval, and not slower on any class of calls, is taken. So noise keeps the rule, it
does not choose.
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

# Rounds of a first look, and of the decision.
SCREENING, DECIDING = 5, 31

# Schedules that the decision is between, and the share of the time that it may take.
_FINALISTS, _DECISION = 3, 0.3

# A first look has to show so much for the next dimension to begin from there.
_PROMISING = 1.005

# No class of calls may be slower than that beside the rule.
_WORST = 0.98


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found: the rule's schedule, or one that is faster. `paired`: what decided;
    None if nothing was. `tried`: how many schedules were measured."""

    schedule: Schedule
    paired: Paired | None
    tried: int
    by_rule: bool

    @property
    def speedup(self) -> Speedup:
        """Over the rule."""
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
    """The best schedule for `spec` that can be found in about `seconds` by the `clock`. `known`:
    what was found before, and fits; `watch` is called after each one that was tried."""
    begin = clock()
    rule = schedule_by_rule(spec, target)
    gains, seen = {rule: 1.0}, {bench.key(rule)}
    until = begin + seconds * (1 - _DECISION)
    best, again = rule, True

    def look(tried: Iterable[Schedule]) -> Schedule:
        """The best of all that were tried, these included, if it is worth to begin from."""
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
    """The best of the finalists that hold; the rule if none does."""
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
