"""Tables and the report say what may be unstable, and where there is no difference."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.intervals import Interval
from plots.cells import Ratio, Time, ratio_text
from plots.old_rows import complete
from plots.report import write_report
from plots.rows import valid
from plots.tables import opponent_table
from plots.write import write_table
from tests.plots.plot_rows import frame, row, save

_WIDE = "the 95% interval of the median is ±8% (8 samples)"
_NOISY = [0.8, 0.9, 0.95, 1.0, 1.0, 1.05, 1.1, 1.2]


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(1.834, 1.748, 1.921), "1.83 [1.75, 1.92]"),
        (Interval(1.02, 0.97, 1.07), "= 1.02 [0.97, 1.07]"),
        (Interval(12.34, 11.86, 13.0), "12.3 [11.9, 13.0]"),
        (Interval(256.4, 199.6, 300.0), "256 [200, 300]"),
        (Interval(9.996, 9.0, 11.0), "10.0 [9.0, 11.0]"),
        (Interval(1.5, float("nan"), float("nan")), "1.50 [?]"),
    ],
)
def test_a_ratio(interval: Interval, text: str) -> None:
    assert ratio_text(interval) == str(Ratio(interval)) == text


def test_marks_and_what_they_mean(tmp_path: Path) -> None:
    table = opponent_table(
        frame(
            row("acrobat", 1.0, doubt=_WIDE, samples_ms=_NOISY),
            row("dynet", 1.01, "autobatch1"),
            row("acrobat", 1.0, batch_size=64),
            row("dynet", 2.0, "autobatch1", batch_size=64, samples_ms=[]),
        ),
        "dynet",
    )
    write_table(table, tmp_path / "T", columns=["batch", "acrobat ms", "DyNet ms", "speed-up"])
    (low, high) = table["speed-up"][0].interval.low, table["speed-up"][0].interval.high
    assert (tmp_path / "T.md").read_text() == (
        "|   batch |   acrobat ms |   DyNet ms |            speed-up |\n"
        "|--------:|-------------:|-----------:|--------------------:|\n"
        f"|       8 |           ~1 |       1.01 | = 1.01 [{low:.2f}, {high:.2f}] |\n"
        "|      64 |            1 |          2 |            2.00 [?] |\n\n"
        "In brackets: the 95% interval of the ratio.\n\n"
        "[?]: there is no interval, for want of samples.\n\n"
        "=: no difference, for the interval includes 1 (1 of 2).\n\n"
        "~: 1 of 4 times may be unstable: 1 with an interval wider than ±5%.\n"
    )
    csv = pd.read_csv(tmp_path / "T.csv")
    assert csv[["acrobat ms", "speed-up"]].to_numpy().tolist() == [[1.0, 1.01], [1.0, 2.0]]
    assert csv["speed-up low"].iloc[0] == pytest.approx(low, rel=1e-3)
    assert pd.isna(csv["speed-up high"].iloc[1])
    assert csv["doubt"].tolist()[0] == f"acrobat: {_WIDE}"


@pytest.mark.usefixtures("undrawn")
def test_the_report_counts_and_lists_them(tmp_path: Path) -> None:
    wrong = {"max_abs_err": 0.5, "reason": "over tolerance"}
    save(
        tmp_path,
        row("acrobat", 1.0, doubt=_WIDE),
        row("dynet", 2.0, "autobatch1", **wrong),
        row("dynet", None, "autobatch3", status="unsupported", reason="it crashes"),
    )
    said: list[str] = []
    written = write_report(tmp_path, tmp_path / "out", said.append)
    path = tmp_path / "out" / "tables" / "unstable.csv"
    assert said[-4:] == [
        "cpu: 1 of 3 rows failed (1 wrong); their reason says why",
        "cpu: 1 of 3 rows are of what a system says it cannot run",
        "cpu: 1 of 2 rows may be unstable: 1 with an interval wider than ±5%",
        f"cpu: they are listed in {path}",
    ]
    assert path in written
    assert path.read_text() == (
        "workload,model_size,batch_size,threads,system,variant,median_ms,n_samples,doubt\n"
        f"treelstm,small,8,2,acrobat,full,1.0,8,{_WIDE}\n"
    )


def test_older_rows_are_completed() -> None:
    spread = "this result may be unstable: the IQR is over 10% of the median"
    old = {"reason": spread, "samples_ms": [1.0, 2.0] * 4, "versions": {"threads_used": "1"}}
    made = complete(old)
    assert (made["reason"], made["threads_used"], made["tolerance"]) == ("", 1, 1e-4)
    assert made["doubt"] == "the 95% interval of the median is ±33% (8 samples)"
    wrong = complete({"reason": f"max_abs_err 1 over tolerance 0.1; {spread}", "doubt": "so"})
    assert (wrong["reason"], wrong["doubt"]) == ("max_abs_err 1 over tolerance 0.1", "so")
    assert complete({"reason": "no trees", "samples_ms": []})["doubt"] is None


def test_a_row_is_judged_by_its_own_tolerance() -> None:
    rows = frame(
        row("acrobat", 1.0, max_abs_err=0.01, tolerance=0.02),
        row("acrobat", 1.0, "off", max_abs_err=0.01, tolerance=1e-4),
        row("acrobat", 1.0, "nan", max_abs_err=float("nan")),
        row("floor", 1.0),
    )
    assert valid(rows).tolist() == [True, False, False, True]


def test_a_time_in_doubt() -> None:
    assert str(Time(3.414, "why")) == "~3.41" and str(Time(3.414, "")) == "3.41"
