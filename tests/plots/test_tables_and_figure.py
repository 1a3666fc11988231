"""Tables and figure from fixed rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from plots.rows import CELL, load_rows
from plots.speedup import speedup_figure, write_figure
from plots.tables import cortex_table, dynet_table, pytorch_table, write_table


def row(system: str, ms: float | None, variant: str = "full", **more: object) -> dict[str, object]:
    return {
        "workload": "treelstm",
        "model_size": "small",
        "batch_size": 8,
        "threads": 2,
        "system": system,
        "variant": variant,
        "status": "ok",
        "reason": "",
        "median_ms": ms,
        "iqr_ms": 0.1,
        "max_abs_err": 1e-7 if system != "floor" else None,
        **more,
    }


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        [
            row("acrobat", 2.0),
            row("dynet", 9.0, "autobatch1"),
            row("dynet", 8.0, "autobatch2"),
            row("dynet", 1.0, "autobatch3", max_abs_err=0.5, reason="over tolerance"),
            row("torch_eager", 40.0),
            row("torch_batched", None, status="error", reason="it broke"),
            row("torch_compile", 6.0),
            row("floor", 1.6),
        ]
    )


def test_dynet_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    write_table(dynet_table(rows), tmp_path / "T3")
    assert (tmp_path / "T3.csv").read_text() == (
        "workload,size,batch,threads,acrobat ms,DyNet ms,DyNet strategy,speed-up,max abs err,"
        "autobatch1 ms,autobatch2 ms,autobatch3 ms\n"
        "treelstm,small,8,2,2,8,autobatch2,4.00,1.0e-07,9,8,1 (wrong: over tolerance)\n"
    )
    assert (tmp_path / "T3.md").exists() and r"\begin{tabular}" in (tmp_path / "T3.tex").read_text()


def test_cortex_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    cortex = [row("cortex", 2.2), row("cortex", 2.1, "unroll")]
    no = row("cortex", None, workload="drnn", status="unsupported", reason="no shape")
    rows = pd.concat([rows, pd.DataFrame([*cortex, no, row("acrobat", 1.0, workload="drnn")])])
    write_table(cortex_table(rows), tmp_path / "T4")
    assert (tmp_path / "T4.csv").read_text() == (
        "workload,size,batch,threads,acrobat ms,Cortex-like ms,Cortex-like schedule,speed-up,"
        "max abs err,full ms,unroll ms\n"
        "drnn,small,8,2,1,unsupported: no shape,,-,1.0e-07,unsupported: no shape,not measured\n"
        "treelstm,small,8,2,2,2.1,unroll,1.05,1.0e-07,2.2,2.1\n"
    )


def test_pytorch_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    write_table(pytorch_table(rows), tmp_path / "T5")
    assert (tmp_path / "T5.csv").read_text() == (
        "workload,size,batch,threads,acrobat ms,eager ms,speed-up over eager,expert ms,"
        "speed-up over expert,compiled ms,speed-up over compiled,floor ms,acrobat / floor\n"
        "treelstm,small,8,2,2,40,20.00,error: it broke,-,6,3.00,1.6,1.25\n"
    )


def test_a_wrong_acrobat_has_no_speed_up(rows: pd.DataFrame) -> None:
    rows.loc[rows["system"] == "acrobat", "max_abs_err"] = 1.0
    (line,) = dynet_table(rows).to_dict("records")
    assert line["speed-up"] == "-" and line["acrobat ms"].startswith("2 (wrong")


def test_the_bars_are_the_ratios(rows: pd.DataFrame, tmp_path: Path) -> None:
    figure = speedup_figure(rows)
    (axes,) = figure.axes
    heights = sorted(round(p.get_height(), 6) for p in axes.patches)
    assert heights == [0.8, 1.0, 3.0, 4.0, 20.0]  # 1.0: the hollow bar of what failed
    assert "error" in [t.get_text() for t in axes.texts]
    for path in write_figure(figure, tmp_path / "F1"):
        assert path.stat().st_size > 1000


def test_no_rows_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no rows; measure first, with `acrobat bench`"):
        load_rows(tmp_path)
    assert CELL == ["workload", "model_size", "batch_size", "threads"]
