"""Which rows may be unstable, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import intervals
from harness.doubt import doubt_of, kinds, summary
from harness.intervals import Timing
from harness.row_file import read_row
from harness.summary import summary_lines

QUIET = {"cores": 2, "load_during": 0.05}
STEADY = Timing.make([1.0, 1.01, 1.02] * 4)


@pytest.mark.slow
def test_a_sure_median_has_no_doubt() -> None:
    assert doubt_of(STEADY, QUIET) == ""
    # Samples far apart, but so many that the median is sure.
    assert doubt_of(Timing.make([1.0, 2.0] + [1.49, 1.5, 1.51] * 9), QUIET) == ""


def test_a_wide_interval() -> None:
    found = doubt_of(Timing.make([1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]), QUIET)
    assert found == "the 95% interval of the median is ±33% (8 samples)"
    far = Timing.make([1.0] * 4 + [99.0] * 4)
    assert doubt_of(far, QUIET) == "the 95% interval of the median is ±98% (8 samples)"
    farther = Timing.make([1.0] * 6 + [99.0] * 4)
    assert doubt_of(farther, QUIET) == ("the 95% interval of the median is over ±100% (10 samples)")
    rounds = Timing.make([1.0] * 6 + [2.0] * 6, [2] * 6)
    assert doubt_of(rounds, QUIET) == (
        "the 95% interval of the median is ±33% (12 samples in 6 rounds)"
    )


def test_few_turns_have_no_interval_however_alike_they_are() -> None:
    found = doubt_of(Timing.make([1.0] * 50, [10] * 5), QUIET)
    assert found == "too few rounds for a 95% interval of the median: 50 samples in 5"


def test_other_processes() -> None:
    busy = {"cores": 2, "load_during": 0.45}
    assert doubt_of(STEADY, busy) == "other processes used 0.9 of 2 cores meanwhile"
    # What is not known, as in older rows and without psutil, is no doubt.
    assert doubt_of(STEADY, {}) == doubt_of(STEADY, {"cores": 2, "load_during": None}) == ""


def test_both() -> None:
    busy = {"cores": 1, "load_during": 1.0}
    found = doubt_of(Timing.make([1.0]), busy)
    assert found == (
        "too few rounds for a 95% interval of the median: 1 sample in 1; "
        "other processes used 1 of 1 core meanwhile"
    )
    assert summary([found, "", "", None]) == (
        "1 of 4 rows may be unstable: 1 with fewer than 6 rounds, "
        "1 with other processes on over 10% of the cores; of 1 it is not known"
    )
    assert summary(["", ""], "time") == "0 of 2 times may be unstable"


def test_without_scipy_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.doubt.can_resample", lambda: False)
    monkeypatch.setattr(intervals, "can_resample", lambda: False)
    intervals._resampled.cache_clear()
    assert doubt_of(STEADY, QUIET) is None
    assert not intervals.median_interval(STEADY).known
    intervals._resampled.cache_clear()
    assert summary([None, None]) == "2 rows: how sure they are is not known (SciPy is missing)"


def test_what_is_said_of_a_run() -> None:
    outcomes = ["ok", "wrong", "unsupported", "unsupported", "oom", "error", "ok", "ok"]
    assert summary_lines(outcomes, ["", "", ""]) == [
        "3 of 8 rows failed (1 error, 1 oom, 1 wrong); their reason says why",
        "2 of 8 rows are of what a system says it cannot run",
        "0 of 3 rows may be unstable",
    ]
    assert summary_lines(["unsupported"], []) == [
        "1 of 1 rows are of what a system says it cannot run"
    ]


def test_rows_from_when_rounds_were_called_turns(tmp_path: Path) -> None:
    made = {
        **dict.fromkeys(("system", "variant", "workload", "model_size", "reason"), "x"),
        "batch_size": 1,
        "device": "cpu",
        "device_name": "A CPU",
        "status": "ok",
        "median_ms": 2.0,
        "samples_ms": [1.0, 2.0, 3.0],
        "turns": [2, 1],
        "doubt": "too few turns for a 95% interval of the median: 3 samples in 2",
    }
    path = tmp_path / "row.json"
    path.write_text(json.dumps(made))
    row = read_row(path)
    assert row.rounds == [2, 1]
    assert row.doubt == "too few rounds for a 95% interval of the median: 3 samples in 2"
    assert kinds(row.doubt) == ["with fewer than 6 rounds"]
