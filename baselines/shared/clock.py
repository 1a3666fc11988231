"""Timing inside the systems: the time of a call, and the choice of the fastest alternative."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def milliseconds(function: Callable[[], object]) -> float:
    """The wall-clock time of one call."""
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def fastest(
    candidates: Mapping[str, Callable[[], object]], rounds: int = 5, warm_up: int = 1
) -> str:
    """The name of the candidate with the lowest median time. Candidates are measured in rounds, so
    that a change of the machine's speed affects all of them."""
    if len(candidates) == 1:
        return next(iter(candidates))
    for _ in range(warm_up):
        for function in candidates.values():
            function()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, function in candidates.items():
            times[name].append(milliseconds(function))
    return min(times, key=lambda name: statistics.median(times[name]))
