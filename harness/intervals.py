"""Bootstrap confidence intervals of medians, of ratios of medians, and of geometric means of these.

The samples of a system in one round are correlated, because a disturbance of the machine affects
all of them. So rounds are resampled, not samples (a cluster bootstrap). If a row does not record
which samples were taken together, each counts as a separate round, which makes its intervals too
narrow. The two sides of a ratio are resampled independently. Resampling and percentiles come from
`scipy.stats.bootstrap`, seeded by the samples: the same rows give the same intervals.
"""

from __future__ import annotations

import functools
import importlib.util
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 1000


class Columns(Protocol):
    """A row, from its file or from a DataFrame."""

    def get(self, key: str, /) -> Any: ...

    def __getitem__(self, key: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its confidence interval; `low` and `high` are NaN if it is unknown, since
    fewer than two rounds on one side say nothing about the spread."""

    value: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether the interval is known."""
        return not np.isnan(self.low)

    @property
    def half_width(self) -> float:
        """Half the interval, relative to the estimate: 0.05 is plus or minus 5%; NaN if unknown."""
        return (self.high - self.low) / 2 / self.value

    def holds(self, number: float) -> bool:
        """Whether the interval includes `number`; true if the interval is unknown."""
        return not self.known or self.low <= number <= self.high


@dataclass(frozen=True, slots=True)
class Timing:
    """The samples of a row in milliseconds, in order, and the number of samples in each round."""

    samples: tuple[float, ...]
    rounds: tuple[int, ...]

    @classmethod
    def of(cls, row: Columns) -> Timing:
        """The timing of a row with the columns `samples_ms` and, unless it is old, `rounds`."""
        rounds = row.get("rounds")
        known = isinstance(rounds, (list, tuple)) and len(rounds) > 0
        return cls.make(row["samples_ms"], rounds if known else ())

    @classmethod
    def make(cls, samples: Sequence[float], rounds: Sequence[int] = ()) -> Timing:
        """A timing from samples and the lengths of rounds; ValueError if these do not add up."""
        rounds = tuple(rounds) or (1,) * len(samples)
        if sum(rounds) != len(samples):
            raise ValueError(f"{len(samples)} samples, but rounds of {sum(rounds)}")
        return cls(tuple(samples), rounds)

    @property
    def median(self) -> float:
        """The median of the samples in milliseconds."""
        return float(np.median(self.samples))


@functools.cache
def can_resample() -> bool:
    """Whether SciPy is installed; a GPU machine without a network may lack it. Without SciPy no
    interval is known."""
    return importlib.util.find_spec("scipy") is not None


def median_interval(timing: Timing) -> Interval:
    """The median of a row's samples, with its interval."""
    return _interval(timing.median, _resampled((timing,)))


def ratio_interval(over: Timing, under: Timing) -> Interval:
    """The quotient of two medians, with its interval: the speed-up of `under` over `over`."""
    return _interval(over.median / under.median, _resampled((over, under)))


def mean_interval(pairs: Sequence[tuple[Timing, Timing]]) -> Interval:
    """The geometric mean of the quotients of several cells, with its interval: the range in which
    repeated measurements of these cells would lie, not what other cells would give."""
    value = np.exp(np.mean([np.log(over.median / under.median) for over, under in pairs]))
    drawn = np.log([_resampled(pair) for pair in pairs])
    return _interval(float(value), np.exp(drawn.mean(axis=0)))


def _interval(value: float, distribution: NDArray[np.float64]) -> Interval:
    # The quantiles are NaN if any part could not be resampled.
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(distribution, [tail, 1 - tail])
    return Interval(value, float(low), float(high))


@functools.lru_cache(maxsize=4096)
def _resampled(timings: tuple[Timing, ...]) -> NDArray[np.float64]:
    """The bootstrap distribution of the median, or of the quotient of two medians."""
    if min(len(t.rounds) for t in timings) < 2 or not can_resample():
        return np.full(RESAMPLES, np.nan)
    from scipy import stats

    medians = [_Medians(t) for t in timings]

    def statistic(*drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        assert axis == -1
        found = [m(d) for m, d in zip(medians, drawn, strict=True)]
        return found[0] if len(found) == 1 else found[0] / found[1]

    result = stats.bootstrap(
        [np.arange(len(t.rounds)) for t in timings],
        statistic,
        n_resamples=RESAMPLES,
        vectorized=True,
        method="percentile",
        # Each has its own seed: the draws of the cells of a mean must be independent.
        rng=np.random.default_rng([zlib.crc32(np.asarray(t.samples).tobytes()) for t in timings]),
    )
    return np.asarray(result.bootstrap_distribution)


class _Medians:
    """Medians of the samples of resampled rounds, for many draws at once: a draw assigns each round
    a multiplicity, and the samples of a row are sorted once for all draws."""

    def __init__(self, timing: Timing) -> None:
        samples = np.asarray(timing.samples)
        order = np.argsort(samples, kind="stable")
        self.sorted = samples[order]
        self.round_of = np.repeat(np.arange(len(timing.rounds)), timing.rounds)[order]

    def __call__(self, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        rounds = drawn.shape[-1]
        flat = drawn.reshape(-1, rounds)
        places = flat + rounds * np.arange(len(flat))[:, None]
        counts = np.bincount(places.ravel(), minlength=flat.size).reshape(flat.shape)
        below = counts[:, self.round_of].cumsum(axis=1)
        half = below[:, -1:] / 2
        lower, upper = (below >= half).argmax(axis=1), (below > half).argmax(axis=1)
        medians: NDArray[np.float64] = (self.sorted[lower] + self.sorted[upper]) / 2
        return medians.reshape(drawn.shape[:-1])
