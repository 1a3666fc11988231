"""T8: what tuning brings over the rule, by budget and by how it is spent."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from plots.report import write_report
from plots.tuning import Budget, budget_of
from tests.plots.plot_rows import row, save, spread


def test_variants_say_how_they_were_tuned() -> None:
    assert budget_of("tune=60") == Budget(60.0, True)
    assert budget_of("tune=7.5,pgo=off") == Budget(7.5, False)
    for other in ("full", "autoschedule=off", "tune=60,hoisting=off", "off+a"):
        assert budget_of(other) is None
    assert Budget(5.0, False).title == "5 s by equal shares"


def test_budgets_stand_side_by_side(tmp_path: Path) -> None:
    steady = partial(spread, part=0.01)
    save(
        tmp_path / "rows",
        steady(row("acrobat", 4.5)),
        steady(row("acrobat", 6.0, "autoschedule=off")),
        steady(row("acrobat", 5.0, "tune=20,pgo=off", tune_s=19.5)),
        steady(row("acrobat", 4.0, "tune=20", tune_s=20.5)),
        steady(row("acrobat", 5.5, "tune=5", tune_s=5.0)),
    )
    write_report(tmp_path / "rows", tmp_path, say=lambda _: None)
    table = pd.read_csv(tmp_path / "tables" / "T8_tuning.csv")
    assert list(table["rule ms"]) == [6.0]
    titles = [c for c in table.columns if c.endswith(("by profile", "by equal shares"))]
    assert titles == ["5 s by profile", "20 s by profile", "20 s by equal shares"]
    assert list(table["20 s by profile"]) == [1.5]
    assert list(table["20 s by equal shares: took s"]) == [19.5]
    text = (tmp_path / "tables" / "T8_tuning.md").read_text()
    assert "Geometric mean of the speed-up over the rule: 5 s by profile: 1.09 [" in text


def test_no_table_where_nothing_was_tuned(tmp_path: Path) -> None:
    save(tmp_path / "rows", row("acrobat", 6.0, "autoschedule=off"), row("acrobat", 6.0))
    write_report(tmp_path / "rows", tmp_path, say=lambda _: None)
    assert not (tmp_path / "tables" / "T8_tuning.md").exists()
