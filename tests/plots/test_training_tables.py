"""T10 from fixed rows; reports that never mix inference and training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from plots.report import write_report
from plots.rows import load_rows
from plots.shown import SHOWN
from plots.training import build, parts_table, training_table
from plots.write import write_table
from tests.plots.plot_rows import frame, row


def step(system: str, ms: float | None, variant: str = "full", **more: Any) -> dict[str, object]:
    """A row of a training step."""
    error = None if system == "floor" else 1e-6
    own = {
        "mode": "train",
        "optimiser": "sgd",
        "max_abs_err": None,
        "max_rel_err": error,
        "peak_mem_mb": 100.4,
    }
    parts = {"forward_ms": None, "backward_ms": None, "update_ms": None}
    return row(system, ms, variant, **(own | parts | more))


STEPS = [
    step("acrobat", 2.0, forward_ms=0.5, backward_ms=1.2, update_ms=0.3),
    step("acrobat", 0.5, "forward"),
    step("dynet", 9.0, "autobatch1"),
    step("dynet", 8.0, "autobatch2", peak_mem_mb=300.0),
    step("dynet", 1.0, "autobatch3", max_rel_err=0.5, reason="over tolerance"),
    step("torch_eager", 40.0),
    step("torch_batched", None, status="error", reason="it broke"),
    step("floor", 1.6),
]


@pytest.fixture
def rows() -> pd.DataFrame:
    return frame(*STEPS)


def test_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    contenders = ["dynet", "torch_eager", "torch_batched"]
    write_table(training_table(rows, contenders), tmp_path / "T10")
    assert (tmp_path / "T10.csv").read_text() == (
        "workload,size,batch,threads,acrobat ms,step / forward run,step / forward run low,"
        "step / forward run high,DyNet ms,DyNet strategy,speed-up over DyNet,"
        "speed-up over DyNet low,speed-up over DyNet high,eager ms,speed-up over eager,"
        "speed-up over eager low,speed-up over eager high,expert ms,speed-up over expert,floor ms,"
        "acrobat / floor,acrobat / floor low,acrobat / floor high,acrobat MiB,DyNet MiB,eager MiB,"
        "expert MiB,relative error,doubt\n"
        "treelstm,small,8,2,2,4,4,4,8,autobatch2,4,4,4,40,20,20,20,error: it broke,-,1.6,1.25,1.25,"
        "1.25,100,300,100,-,1.0e-06,\n"
    )


def test_parts(rows: pd.DataFrame, tmp_path: Path) -> None:
    write_table(parts_table(rows), tmp_path / "T10")
    assert (tmp_path / "T10.csv").read_text() == (
        "workload,size,batch,threads,system,forward ms,backward ms,update ms\n"
        "treelstm,small,8,2,acrobat,0.5,1.2,0.3\n"
    )


def test_steps_of_several_optimisers(tmp_path: Path) -> None:
    """A line of each, with the rows of its own cell; means are of SGD alone."""
    adam = [
        step("acrobat", 3.0, optimiser="adam", update_ms=1.5, forward_ms=0.4, backward_ms=1.1),
        step("acrobat", 0.75, "forward", optimiser="adam"),
        step("dynet", 6.0, "autobatch1", optimiser="adam"),
    ]
    (shown,) = (s for s in SHOWN if s.code == "T10")
    first, parts = build(frame(*adam, *STEPS), shown).tables
    assert first.columns is not None and "optimiser" in first.columns
    write_table(first.frame, tmp_path / "T10")
    lines = pd.read_csv(tmp_path / "T10.csv").to_dict("records")
    assert [(x["optimiser"], x["acrobat ms"], x["step / forward run"]) for x in lines] == [
        ("sgd", 2.0, 4.0),
        ("adam", 3.0, 4.0),
    ]
    assert [x["speed-up over DyNet"] for x in lines] == [4.0, 2.0]
    assert "Geometric means are of steps with SGD." in first.remarks
    assert any("(DyNet on 1): 4.00" in r for r in first.remarks)
    assert parts.frame["optimiser"].tolist() == ["sgd", "adam"]


def test_remarks_name_threads_and_means(rows: pd.DataFrame) -> None:
    (shown,) = (s for s in SHOWN if s.code == "T10")
    first, parts = build(rows, shown).tables
    assert first.remarks[0] == "DyNet runs on 1 thread, whatever a cell allows."
    assert any(
        "speed-up over DyNet: small, 2 threads (DyNet on 1): 4.00" in r for r in first.remarks
    )
    assert parts.suffix == "_parts"


def write(folder: Path, rows: list[dict[str, object]], mode: str) -> None:
    for values in rows:
        path = folder / f"{mode}.{values['system']}.{values['variant']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))


@pytest.mark.slow
def test_reports_do_not_mix_modes(tmp_path: Path) -> None:
    """The same points of both modes: each table has its own."""
    write(tmp_path / "rows", STEPS, "train")
    write(tmp_path / "rows", [row("acrobat", 3.0), row("dynet", 30.0, "autobatch1")], "inference")
    loaded = load_rows(tmp_path / "rows")
    assert loaded["mode"].value_counts().to_dict() == {"train": 8, "inference": 2}
    said: list[str] = []
    files = {path.name for path in write_report(tmp_path / "rows", tmp_path / "out", said.append)}
    assert {"T3_dynet.csv", "T10_training.csv", "T10_training_parts.md"} <= files
    dynet = pd.read_csv(tmp_path / "out/tables/T3_dynet.csv")
    steps = pd.read_csv(tmp_path / "out/tables/T10_training.csv")
    assert dynet["speed-up"].tolist() == [10.0]
    assert steps["speed-up over DyNet"].tolist() == [4.0]
    assert not [line for line in said if "T10" in line]
    page = (tmp_path / "out/index.html").read_text()
    assert 'id="rows-cpu"' in page and 'id="rows-cpu-train"' in page
    assert "CPU: A CPU, 2 cores (znver4, 256-bit vectors), training" in page


def test_a_report_of_steps_alone(tmp_path: Path) -> None:
    write(tmp_path / "rows", STEPS, "train")
    said: list[str] = []
    files = {path.name for path in write_report(tmp_path / "rows", tmp_path / "out", said.append)}
    tables = {name for name in files if name.endswith(".csv")}
    assert tables == {"T10_training.csv", "T10_training_parts.csv"}
    assert not [line for line in said if ": no " in line]
    # As the pipeline expects it.
    assert (tmp_path / "out/figures").is_dir()
