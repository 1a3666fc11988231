"""Table T9: verdicts follow from rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from acrobat.options import Options
from harness.config_file import ConfigError
from harness.intervals import Interval
from plots.claims.__main__ import between_marks, claims_section
from plots.claims.measures import MEASURES, speed_up, step
from plots.claims.record import Claim, Condition, read_claims
from plots.claims.verdict import verdict
from plots.report import write_report
from plots.rows import load_rows
from plots.shown import SHOWN
from tests.plots.plot_rows import row, save

ROOT = Path(__file__).parents[2]
NAN = float("nan")


def claim(code: str) -> Claim:
    return next(c for c in read_claims() if c.code == code)


def samples(middle: float, spread: float = 0.01) -> list[float]:
    return [middle * (1 + spread * (k - 5) / 5) for k in range(11)]


def sampled(middle: float) -> dict[str, Any]:
    return {"samples_ms": samples(middle), "rounds": [1] * 11}


def rows_of(folder: Path, theirs: dict[str, list[float]], system: str = "dynet") -> pd.DataFrame:
    """acrobat at 1 ms and a system, in a cell for each workload of `theirs`."""
    found = []
    for workload, times in theirs.items():
        found.append(row("acrobat", 1.0, workload=workload, **sampled(1.0)))
        middle = sorted(times)[len(times) // 2]
        found.append(
            row(system, middle, workload=workload, samples_ms=times, rounds=[1] * len(times))
        )
    save(folder, *found)
    return load_rows(folder)


@pytest.mark.parametrize(
    ("theirs", "word", "why"),
    [
        ({"treelstm": samples(3.0), "birnn": samples(2.0)}, "reproduced", ""),
        (
            {"treelstm": samples(3.0), "birnn": samples(0.5)},
            "partly",
            "smallest >= 1 does not hold (birnn small b8, 2 threads)",
        ),
        (
            {"treelstm": samples(3.0), "birnn": samples(1.01, 0.5)},
            "partly",
            "smallest >= 1 is not certain (birnn small b8, 2 threads)",
        ),
        (
            {"treelstm": samples(1.01, 0.5)},
            "not certain",
            "mean >= 1 is not certain; smallest >= 1 is not certain (treelstm small b8, 2 threads)",
        ),
        (
            {"treelstm": samples(0.5)},
            "not reproduced",
            "mean >= 1 does not hold; smallest >= 1 does not hold (treelstm small b8, 2 threads)",
        ),
    ],
)
def test_verdict_of_a_speed_up(
    tmp_path: Path, theirs: dict[str, list[float]], word: str, why: str
) -> None:
    found = verdict(claim("C2"), rows_of(tmp_path, theirs))
    assert (found.word, found.why) == (word, why)


def test_what_is_not_there_is_not_judged(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, {"treelstm": samples(3.0)})
    assert verdict(claim("C3"), rows).word == "not measured"
    assert verdict(claim("C3"), rows).why == "no rows for it: make paper"
    assert verdict(claim("C1"), rows).word == "not on this device"
    assert verdict(claim("C1"), rows).why == "needs an NVIDIA GPU: make gpu"
    unmeasured = replace(claim("Q6"), command=None)
    assert verdict(unmeasured, rows).why == "no configuration measures it yet"


def test_a_wrong_row_counts_for_nothing(tmp_path: Path) -> None:
    save(
        tmp_path,
        row("acrobat", 1.0, **sampled(1.0), max_abs_err=0.5),
        row("dynet", 9.0, **sampled(9.0)),
    )
    assert speed_up(load_rows(tmp_path), over="dynet").numbers == {}


def test_a_rung_of_the_ladder(tmp_path: Path) -> None:
    times = {"off": 4.0, "off+hoisting": 2.0, "full": 1.0}
    save(tmp_path, *(row("acrobat", ms, v, **sampled(ms)) for v, ms in times.items()))
    found = step(load_rows(tmp_path), option="hoisting").numbers
    assert found["largest"].interval.value == pytest.approx(2.0)
    assert found["largest"].of == "treelstm small b8, 2 threads"


def test_the_last_rung_of_the_ladder_is_all_on(tmp_path: Path) -> None:
    *others, last = Options.ladder()
    times = {"off+" + ",".join(others): 2.0, "off": 4.0, "full": 1.0}
    save(tmp_path, *(row("acrobat", ms, v, **sampled(ms)) for v, ms in times.items()))
    rows = load_rows(tmp_path)
    assert step(rows, option=last).numbers["mean"].interval.value == pytest.approx(2.0)
    assert step(rows, option="hoisting").numbers == {}


def test_a_condition_looks_at_the_whole_interval() -> None:
    least, most = Condition("mean", True, 1.0), Condition("mean", False, 1.0)
    inside, outside, across = Interval(2, 1.5, 3), Interval(0.5, 0.4, 0.6), Interval(1, 0.9, 1.1)
    assert [least.met_by(i) for i in (inside, outside, across)] == [True, False, None]
    assert [most.met_by(i) for i in (inside, outside, across)] == [False, True, None]
    assert least.met_by(Interval(1.0, NAN, NAN)) is True


def test_every_claim_can_be_decided() -> None:
    codes = {shown.code for shown in SHOWN}
    for found in read_claims():
        assert found.measure in MEASURES, found.code
        assert set(found.shown) <= codes, found.code
        assert found.said, found.code
        for part in (found.command or "").split():
            if part.startswith("CONFIG="):
                assert (ROOT / part.removeprefix("CONFIG=")).is_file(), found.code


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text("claims:\n  - {code: C1, claim: x}\n")
    with pytest.raises(ConfigError, match=r"claims\[0\]: 'said' is a required property"):
        read_claims(path)


@pytest.mark.usefixtures("undrawn")
def test_the_table_has_every_claim(tmp_path: Path) -> None:
    rows_of(tmp_path / "rows", {"treelstm": samples(3.0)})
    write_report(tmp_path / "rows", tmp_path, say=lambda _: None)
    table = pd.read_csv(tmp_path / "tables" / "T9_claims.csv")
    assert list(table["claim"]) == [c.code for c in read_claims()]
    line = table.set_index("claim").loc["C2"]
    assert line["verdict"] == "reproduced"
    assert line["measured"].startswith("mean 3.00 [")


@pytest.mark.slow
def test_the_readme_has_what_the_rows_say() -> None:
    reference = ROOT / "results" / "reference"
    machines = (
        "epyc-zen4-2core",
        "xeon-avx512-2core",
        "epyc-zen5-2core-ablation",
        "epyc-zen5-2core-divergence",
        "epyc-zen5-2core-generalize",
        "epyc-zen5-2core-scaling",
    )
    section = claims_section([reference / m for m in machines])
    text = (ROOT / "README.md").read_text()
    assert between_marks(text, section) == text
