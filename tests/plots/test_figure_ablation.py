"""F2 and its table: what each rung brings, and whether it is a difference."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from plots.ablation import ablation_figures, ablation_table
from plots.ladder import ladders
from plots.report import write_report
from tests.plots.plot_rows import frame, row, save, spread

_COUNTS = {"n_nodes": 900, "n_batches": 12345, "n_kernel_calls": 23456, "n_syncs": 0}
_TIMES = {"off": 12.0, "off+a": 4.0, "off+a,b": 3.98, "off+a,b,c": 6.0, "full": 1.5}


def _ladder(**more: object) -> list[dict[str, object]]:
    rows = [row("acrobat", ms, v, **(_COUNTS | more)) for v, ms in _TIMES.items()]
    return [spread(r, 0.05) for r in rows]


def test_effects() -> None:
    (ladder,) = ladders(frame(*_ladder()))
    assert [(r.name, r.effect) for r in ladder.rungs] == [
        ("all off", ""),
        ("+ a", "gain"),
        ("+ b", "no difference"),
        ("+ c", "loss"),
        ("all on", "gain"),
    ]
    totals = [r.total.value for r in ladder.rungs if r.total]
    assert totals == pytest.approx([3.0, 12 / 3.98, 2.0, 8.0])


def test_the_table_says_what_is_no_difference() -> None:
    table = ablation_table(frame(*_ladder())).astype(str)
    steps = table["step"].tolist()
    assert steps[0] == "-" and steps[1].startswith("3.00 [") and steps[2].startswith("= 1.01 [")
    assert table["n_batches"].tolist() == ["12345"] * 5


def test_a_rung_without_a_time_is_passed_over() -> None:
    rows = _ladder()
    rows[0] |= {"status": "oom", "reason": "too large", "median_ms": None}
    (ladder,) = ladders(frame(*rows))
    assert ladder.rungs[1].name == "+ a" and ladder.rungs[1].step is None
    assert [r.effect for r in ladder.rungs[2:]] == ["no difference", "loss", "gain"]
    (figure,) = ablation_figures(frame(*rows))
    assert figure.axes[0].texts[0].get_text() == "out of memory"


def test_bars_go_from_one_and_numbers_stand_beside_them() -> None:
    rows = _ladder()
    rows[1] |= {"doubt": "unsure"}
    (figure,) = ablation_figures(frame(*rows))
    bars, numbers = figure.axes
    patches: list[Any] = list(bars.patches)
    ends = [(p.get_x(), round(p.get_x() + p.get_width(), 3)) for p in patches]
    assert ends == [(1.0, 3.0), (1.0, 3.015), (1.0, 2.0), (1.0, 8.0)]
    assert [p.get_hatch() for p in patches] == [None, None, "//////", None]
    assert bars.patches[1].get_facecolor()[:3] == (1.0, 1.0, 1.0)
    assert [t.get_text() for t in bars.texts] == ["•"]
    texts = [t.get_text() for t in numbers.texts]
    assert texts[-4:] == ["total", "ms", "batches", "calls"]
    assert texts[4:8] == ["3x", "4", "12345", "23456"]
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == [
        "the option gains",
        "the option loses",
        "no difference: its interval includes 1",
        "may be unstable",
    ]


@pytest.mark.slow
def test_pages_and_labels() -> None:
    rows = [r for n in range(11) for r in _ladder(workload=f"w{n}")]
    figures = ablation_figures(frame(*rows))
    assert max(f.get_figheight() for f in figures) <= 9.0
    ((low, high),) = {f.axes[n].get_xlim() for f in figures for n in range(0, len(f.axes), 2)}
    assert low < 1.0 and high > 8.0
    for figure in figures:
        figure.draw_without_rendering()
        texts = [t for axes in figure.axes for t in (*axes.texts, axes._left_title)]  # type: ignore[attr-defined]
        boxes = [(t.get_text(), t.get_window_extent()) for t in texts if t.get_text()]
        for (a, one), (b, two) in itertools.combinations(boxes, 2):
            assert not one.overlaps(two), (a, b)


@pytest.mark.usefixtures("undrawn")
def test_everything_on_but_one(tmp_path: Path) -> None:
    steady = partial(spread, part=0.01)
    save(
        tmp_path / "rows",
        steady(row("acrobat", 2.0)),
        steady(row("acrobat", 3.0, "hoisting=off")),
        steady(row("acrobat", 1.5, "scheduler=agenda")),
        steady(row("acrobat", 2.0, "ghost_ops=off,hoisting=off")),
        steady(row("acrobat", 9.0, "executor=vm")),
        steady(row("acrobat", 9.0, "precision=bf16")),
    )
    write_report(tmp_path / "rows", tmp_path, say=lambda _: None)
    table = pd.read_csv(tmp_path / "tables" / "F2_ablation_without.csv")
    assert list(table["without"]) == [
        "hoisting=off",
        "scheduler=agenda",
        "ghost_ops=off,hoisting=off",
    ]
    assert list(table["worth"]) == [1.5, 0.75, 1.0]
    assert list(table["effect"]) == ["gain", "loss", "no difference"]
    text = (tmp_path / "tables" / "F2_ablation_without.md").read_text()
    assert "so that the option costs more than 3%: 1 of 3." in text


@pytest.mark.usefixtures("undrawn")
def test_the_interpreter_beside_compiled_control_flow(tmp_path: Path) -> None:
    steady = partial(spread, part=0.01)
    save(
        tmp_path / "rows",
        steady(
            row(
                "acrobat",
                2.0,
                graph_ms=0.5,
                schedule_ms=0.1,
                copy_ms=0.1,
                kernel_ms=1.0,
                profiled_ms=2.0,
            )
        ),
        steady(row("acrobat", 9.0, "executor=vm")),
    )
    write_report(tmp_path / "rows", tmp_path, say=lambda _: None)
    table = pd.read_csv(tmp_path / "tables" / "T7_aot.csv")
    assert list(table["speed-up"]) == [4.5]
    # Of a run of 2 ms 0.7 are graph, scheduling and copies, 0.3 belong to nothing.
    assert list(table["compiled, no kernels"]) == [1.0]
