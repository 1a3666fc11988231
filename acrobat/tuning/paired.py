"""Two ways to compute the same, timed in alternation: is one significantly faster?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Speedup:
    """The factor of the speed-up: the median of the rounds, and its 95% interval."""

    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3f}x [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Paired:
    """Times of both in the same rounds, [rounds, classes]; `weights` says how often each class of
    calls occurs. A disturbance affects both times of a round, so only their ratio counts."""

    rule: np.ndarray
    tuned: np.ndarray
    weights: tuple[float, ...]

    @property
    def speedup(self) -> Speedup:
        """The speed-up of all calls together."""
        weights = np.asarray(self.weights)
        return interval((self.rule @ weights) / (self.tuned @ weights))

    @property
    def worst(self) -> float:
        """The median speed-up of the class that gains least."""
        return float(np.median(self.rule / self.tuned, axis=0).min())

    @property
    def medians(self) -> list[tuple[float, float]]:
        """The median times of each class: the rule's and the tuned schedule's."""
        both = (np.median(t, axis=0) for t in (self.rule, self.tuned))
        return [(float(r), float(t)) for r, t in zip(*both, strict=True)]


def interval(ratios: Sequence[float] | np.ndarray) -> Speedup:
    """The median and its 95% interval, from the binomial distribution of how many samples lie below
    the median: no assumption is made about their distribution. For fewer than six samples it is
    their whole range."""
    found = np.sort(np.asarray(ratios, dtype=float))
    n = len(found)
    below, cut = 0.0, 0
    while cut < n // 2:
        below += math.comb(n, cut) / 2**n
        if below > 0.025:
            break
        cut += 1
    outer = max(cut - 1, 0)
    return Speedup(float(found[outer]), float(np.median(found)), float(found[n - 1 - outer]))
