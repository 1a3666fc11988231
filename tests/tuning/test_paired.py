"""Intervals of paired times."""

from __future__ import annotations

import numpy as np
import pytest

from acrobat.tuning.budget import next_seconds
from acrobat.tuning.paired import Paired, interval


@pytest.mark.parametrize(
    ("n", "outer"),
    [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (20, 5), (31, 9)],
)
def test_the_interval_is_what_the_binomial_distribution_leaves(n: int, outer: int) -> None:
    """As tables of the sign test have it: of 20 values from the 6th to the 15th."""
    found = interval([float(i) for i in range(n)])
    assert (found.low, found.high) == (outer, n - 1 - outer)
    assert found.median == (n - 1) / 2


def test_intervals_hold_the_median_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    samples = rng.lognormal(0, 0.5, (2000, 31))
    inside = [f.low <= 1.0 <= f.high for f in map(interval, samples)]
    assert 0.945 < sum(inside) / len(inside) < 0.98


def test_what_disturbs_both_does_not_count() -> None:
    disturbed = np.array([[1.0], [50.0], [1.0], [9.0], [1.0], [1.0], [1.0]])
    found = Paired(2.0 * disturbed, 1.0 * disturbed, (3.0,))
    assert (found.speedup.low, found.speedup.median, found.speedup.high) == (2.0, 2.0, 2.0)
    assert str(found.speedup) == "2.000x [2.000, 2.000]"


def test_classes_count_by_their_weight() -> None:
    rule, tuned = np.array([[10.0, 1.0]] * 7), np.array([[5.0, 2.0]] * 7)
    assert Paired(rule, tuned, (1.0, 1.0)).speedup.median == pytest.approx(11 / 7)
    assert Paired(rule, tuned, (1.0, 98.0)).speedup.median < 0.6
    assert Paired(rule, tuned, (1.0, 1.0)).worst == 0.5


def test_seconds_go_where_the_time_is() -> None:
    assert next_seconds(60.0, [0.5, 0.25, 0.25], by_profile=True) == 30.0
    assert next_seconds(30.0, [0.25, 0.25], by_profile=True) == 15.0
    assert next_seconds(60.0, [0.5, 0.25, 0.25], by_profile=False) == 20.0
    # What is not seen gets nothing, and takes nothing from others.
    assert next_seconds(60.0, [0.8, 0.001], by_profile=True) == 60.0
    assert next_seconds(60.0, [0.001], by_profile=True) == 0.0
    assert next_seconds(-1.0, [0.5], by_profile=True) == 0.0
