"""Bootstrap intervals: what is resampled, how often they hold the truth, where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from harness.intervals import Timing, mean_interval, median_interval, ratio_interval


def _draw(rng: np.random.Generator, median: float, rounds: int, each: int, drift: float) -> Timing:
    """Rounds of samples around `median`; `drift` is what the machine does to a whole round."""
    offsets = np.repeat(np.exp(rng.normal(0.0, drift, rounds)), each)
    samples = median * offsets * np.exp(rng.normal(0.0, 0.02, rounds * each))
    return Timing.make(samples.tolist(), [each] * rounds)


def test_a_ratio_is_that_of_the_medians_and_its_interval_holds_it() -> None:
    rng = np.random.default_rng(0)
    ratio = ratio_interval(_draw(rng, 3.0, 20, 5, 0.02), _draw(rng, 2.0, 20, 5, 0.02))
    assert ratio.known and ratio.low < ratio.value < ratio.high
    assert ratio.holds(1.5) and not ratio.holds(1.0)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    pairs = [(_draw(rng, 1.0, 15, 4, 0.05), _draw(rng, 1.0, 15, 4, 0.05)) for _ in range(200)]
    held = np.mean([ratio_interval(*pair).holds(1.0) for pair in pairs])
    assert 0.90 <= held <= 0.99


def test_samples_of_one_turn_are_not_counted_as_independent() -> None:
    rng = np.random.default_rng(2)
    by_turn = _draw(rng, 1.0, 10, 20, 0.1)
    each_alone = Timing.make(by_turn.samples)
    wide, narrow = median_interval(by_turn), median_interval(each_alone)
    assert wide.half_width > 2 * narrow.half_width


def test_resampled_medians_are_those_of_the_drawn_samples() -> None:
    # Two rounds: every draw is the first twice, the second twice, or both.
    found = median_interval(Timing.make([1.0, 2.0, 10.0], [2, 1]))
    assert (found.low, found.value, found.high) == (1.5, 2.0, 10.0)


def test_a_mean_is_geometric_and_narrower_than_its_cells() -> None:
    rng = np.random.default_rng(3)
    pairs = [
        (_draw(rng, over, 15, 3, 0.05), _draw(rng, 1.0, 15, 3, 0.05)) for over in (1.0, 2.0, 4.0)
    ]
    mean = mean_interval(pairs)
    ratios = [ratio_interval(*pair) for pair in pairs]
    assert mean.value == pytest.approx(np.prod([r.value for r in ratios]) ** (1 / 3))
    assert mean.half_width < max(r.half_width for r in ratios)


def test_one_turn_has_no_interval() -> None:
    one, many = Timing.make([1.0, 1.1], [2]), Timing.make([2.0, 2.1, 2.2])
    for found in (median_interval(one), ratio_interval(many, one), mean_interval([(one, many)])):
        assert not found.known
        assert found.holds(1.0)  # Nothing is claimed.
        assert np.isnan(found.half_width)


def test_the_same_rows_give_the_same_interval() -> None:
    rng = np.random.default_rng(4)
    timing = _draw(rng, 1.0, 9, 3, 0.1)
    assert median_interval(timing) == median_interval(Timing.make(timing.samples, timing.rounds))


def test_turns_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="3 samples, but rounds of 4"):
        Timing.make([1.0, 1.0, 1.0], [2, 2])


def test_a_row_of_before_turns_counts_each_sample() -> None:
    assert Timing.of({"samples_ms": [1.0, 2.0]}).rounds == (1, 1)
    assert Timing.of({"samples_ms": [1.0, 2.0], "rounds": float("nan")}).rounds == (1, 1)
    assert Timing.of({"samples_ms": [1.0, 2.0], "rounds": [2]}).rounds == (2,)
