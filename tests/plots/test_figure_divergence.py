"""Figure F7 and its table; tables and figures are of one study each; claims Q6 and Q7."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from plots.claims.record import Claim, read_claims
from plots.claims.verdict import verdict
from plots.divergence import contenders_of, divergence_figures, divergence_table, points_of
from plots.report import write_report
from plots.rows import load_rows
from plots.studies import of_study
from tests.plots.plot_rows import frame, row, save
from workloads.api import DIVERGENCE, OTHER


def at(system: str, ms: float | None, knob: int, **more: Any) -> dict[str, object]:
    """A row of the exits at a knob."""
    return row(system, ms, workload="divergent_exits", model_size=f"small_d{knob}", **more)


ROWS = [
    at("acrobat", 2.0, 0),
    at("acrobat", 2.0, 100),
    at("jax_vmap", 3.0, 0),
    at("jax_vmap", 6.0, 100),
    at("torch_batched", 2.0, 0),
    at("torch_batched", 3.0, 100),
    at("torch_batched", 8.0, 0, variant="maximum"),
    at("torch_batched", 8.0, 100, variant="maximum"),
    at("dynet", 5.0, 0, variant="autobatch1-lockstep"),
    at("dynet", 4.0, 0, variant="autobatch2-lockstep"),
    at("dynet", None, 100, variant="autobatch1-lockstep", status="timeout", reason="300 s"),
    at("floor", 1.0, 0),
]


def test_a_line_per_knob_and_a_contender_that_runs_to_the_maximum() -> None:
    points = points_of(frame(*ROWS, row("acrobat", 1.0), row("jax_vmap", 1.0)))
    assert [(p.curve, p.divergence) for p in points] == [
        (("divergent_exits", "small", 8, 2), 0),
        (("divergent_exits", "small", 8, 2), 100),
    ]
    systems = [("dynet", False), ("torch_batched", False), ("torch_batched", True)]
    assert contenders_of(points) == [*systems, ("jax_vmap", False)]
    table = divergence_table(points).map(str).to_dict("list")
    assert table["divergence"] == ["0%", "100%"]
    assert table["DyNet ms"] == ["4", "timeout: 300 s"]
    assert table["speed-up over DyNet"] == ["2.00 [2.00, 2.00]", "-"]
    assert table["speed-up over expert"] == ["= 1.00 [1.00, 1.00]", "1.50 [1.50, 1.50]"]
    assert table["speed-up over expert to the maximum"] == ["4.00 [4.00, 4.00]"] * 2
    assert table["speed-up over JAX vmap"] == ["1.50 [1.50, 1.50]", "3.00 [3.00, 3.00]"]


def test_a_curve_per_contender() -> None:
    rows = frame(*ROWS)
    (figure,) = divergence_figures(rows, points_of(rows))
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "BERxiT, exits differ, small, batch 8, 2 threads"
    curves = [
        (np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist())
        for line in axes.lines
    ]
    assert ([0], [2.0]) in curves  # DyNet's best, which has no time at 100
    drawn = [ys for xs, ys in curves if xs == [0, 100]]
    assert drawn == [[1.0, 1.5], [4.0, 4.0], [1.5, 3.0]]
    low, high = axes.get_ylim()
    assert low < 0.7 and high > 4
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "PyTorch, batched by an expert, to the maximum" in names


def test_no_figure_without_a_knob(tmp_path: Path) -> None:
    assert points_of(frame(row("acrobat", 1.0), row("dynet", 1.0))) == []
    unknown = at("acrobat", 1.0, 0) | {"model_size": "small_d13"}
    assert points_of(frame(unknown)) == []


@pytest.mark.slow
def test_tables_are_of_one_study(tmp_path: Path) -> None:
    others = [row(s, 1.0, workload="treegru") for s in ("acrobat", "torch_eager", "torch_batched")]
    said: list[str] = []
    save(tmp_path / "raw", *others, *ROWS)
    written = {p.stem for p in write_report(tmp_path / "raw", tmp_path / "out", said.append)}
    assert written >= {"T11_networks", "F9_networks", "F7_divergence", "T2_workloads"}
    assert not written & {"T3_dynet", "T5_pytorch", "F1_speedup", "T5b_modern"}
    of_pytorch = "torch_eager, torch_batched, torch_compile, floor"
    assert f"cpu: no T5, for there are no rows of {of_pytorch}" in said
    # Where there are rows of the paper's workloads alone: test_written_files.py.


def test_rows_by_study() -> None:
    rows = frame(
        row("acrobat", 1.0),
        row("acrobat", 1.0, workload="treegru"),
        row("acrobat", 1.0, workload="divergent_exits"),
        row("acrobat", 1.0, workload="somebody's"),
    )
    assert len(of_study(rows, None)) == 4
    assert set(of_study(rows, "")["workload"]) == {"treelstm", "somebody's"}
    assert set(of_study(rows, OTHER)["workload"]) == {"treegru"}
    assert set(of_study(rows, DIVERGENCE)["workload"]) == {"divergent_exits"}


def claim(code: str) -> Claim:
    return next(c for c in read_claims() if c.code == code)


def judged(tmp_path: Path, code: str, opponent: str, found: dict[tuple[str, str], float]) -> Any:
    rows = []
    for (workload, size), ratio in found.items():
        cell = {"workload": workload, "model_size": size}
        rows += [row("acrobat", 1.0, **cell), row(opponent, ratio, **cell)]
    save(tmp_path, *rows)
    return verdict(claim(code), load_rows(tmp_path))


# The paper's own workloads do not count for these, nor these for the paper's claims.
@pytest.mark.parametrize(
    ("ratio", "word"), [(2.0, "reproduced"), (0.9, "partly"), (0.1, "not reproduced")]
)
def test_other_networks_decide_q6(tmp_path: Path, ratio: float, word: str) -> None:
    found = {("treegru", "small"): 3.0, ("spinn", "small"): ratio, ("treelstm", "small"): 0.01}
    assert judged(tmp_path, "Q6", "torch_batched", found).word == word
    q3 = verdict(claim("Q3"), load_rows(tmp_path))
    assert (q3.word, q3.short) == ("not reproduced", "mean 0.01 [0.01, 0.01]; 1 cells")


def test_knobs_decide_q7(tmp_path: Path) -> None:
    found = {("divergent_exits", "small_d0"): 1.5, ("divergent_exits", "small_d100"): 3.0}
    made = judged(tmp_path, "Q7", "jax_vmap", found | {("treelstm", "small"): 0.1})
    assert made.word == "reproduced"
    assert made.short.endswith("; 2 cells")


def test_without_rows_they_are_open(tmp_path: Path) -> None:
    rows: pd.DataFrame = frame(row("acrobat", 1.0), row("torch_batched", 2.0))
    for code, name in (("Q6", "generalize"), ("Q7", "divergence")):
        found = verdict(claim(code), rows)
        assert found.word == "not measured"
        assert found.why == f"no rows for it: make reproduce CONFIG=config/{name}.yaml"
