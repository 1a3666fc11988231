"""T6 and F4, where the time goes, from fixed rows."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from plots.activities import TOGETHER, activities, activity_cells, activity_table, headline, unusual
from plots.breakdown import breakdown_figures
from plots.write import numbers, write_table
from tests.plots.plot_rows import frame, on_gpu, row

Parts = dict[str, Any]
_PARTS: Parts = {
    "input_ms": 1.0,
    "graph_ms": 1.0,
    "schedule_ms": 0.5,
    "copy_ms": 0.1,
    "kernel_ms": 2.0,
}
_DYNET: Parts = {
    "input_ms": 0.0,
    "graph_ms": 4.0,
    "schedule_ms": None,
    "copy_ms": None,
    "kernel_ms": 12.0,
}


def _rows() -> list[dict[str, object]]:
    return [
        row("acrobat", 4.0, profiled_ms=4.0, **_PARTS),
        row("dynet", 16.0, "autobatch1", profiled_ms=16.0, **_DYNET),
        row("cortex", None, status="unsupported", reason="no shape"),
        row("torch_eager", 90.0, input_ms=1.0),
    ]


def test_the_table_has_milliseconds_and_shares() -> None:
    table = activity_table(frame(*_rows())).astype(str)
    assert list(table.columns[4:]) == [
        *("system", "variant", "ms", "graph", "scheduling", "copies", "kernels", "other", "input"),
        "run ms",
    ]
    assert table.iloc[:, 6:-1].to_numpy().tolist() == [
        ["4", "1 (25%)", "0.5 (12%)", "0.1 (2%)", "2 (50%)", "0.4 (10%)", "1"],
        ["16", "4 (25%)", "in kernels", "in kernels", "12 (75%)", "0 (0%)", "0"],
    ]


def test_the_table_of_a_paper_is_one_for_all_columns(tmp_path: Path) -> None:
    big: Parts = {
        "input_ms": 38.71,
        "graph_ms": 170.2,
        "kernel_ms": 42556.0,
        "profiled_ms": 42627.0,
    }
    cell: dict[str, Any] = {"workload": "treelstm_childsum", "model_size": "large", **big}
    rows = [
        row("acrobat", 42627.0, schedule_ms=0.09, copy_ms=0.0001, **cell),
        row("dynet", 42627.0, schedule_ms=None, copy_ms=None, **cell),
    ]
    table = activity_table(frame(*rows))
    assert [str(v) for v in table["copies"]] == ["<0.001 (0%)", "in kernels"]
    write_table(table, tmp_path / "T6", "T6.", columns=headline(table))
    text = (tmp_path / "T6.tex").read_text()
    assert text.count("\\begin{tabular}") == 1 and "in kernels" in text


def test_csv_has_numbers() -> None:
    (line, *_) = numbers(activity_table(frame(*_rows()))).to_dict("records")
    assert line["graph ms"] == "1" and line["graph share"] == "0.25"


def test_shares_of_an_unusual_run_are_marked() -> None:
    """A row without the time of the run that its activities are of: it was the last."""
    made = row("acrobat", 4.0, **_PARTS) | {"samples_ms": [4.0] * 7 + [8.0], "valid": True}
    (series,) = (frame(made).iloc[n] for n in range(1))
    found = activities(series)
    assert found is not None and found.far and found.run_ms == 8.0
    assert found.milliseconds == pytest.approx(
        {"graph": 0.5, "scheduling": 0.25, "copies": 0.05, "kernels": 1.0, "other": 2.2}
    )
    assert unusual(activity_table(frame(made))) == [
        "Shares of 1 of 1 lines are of a run whose time is over 25% away from the median."
    ]
    assert unusual(activity_table(frame(*_rows()))) == []
    figure = breakdown_figures(frame(made))[0]
    assert [t.get_text() for t in figure.axes[0].texts] == ["4•"]


def test_bars_are_stacked_to_the_median_and_what_is_not_told_apart_is_one_part() -> None:
    (figure,) = breakdown_figures(frame(*_rows()))
    (axes,) = figure.axes
    patches: list[Any] = list(axes.patches)
    parts = [(round(p.get_x(), 6), round(p.get_x() + p.get_width(), 6)) for p in patches]
    ours, theirs = parts[:6], parts[6:]
    # Relative to the slower; the last of ours is the input.
    assert ours == [(0, 0.0625), (0.0625, 0.09375), (0.09375, 0.1), (0.1, 0.225), (0.225, 0.25),
                    (0.25, 0.3125)]  # fmt: skip
    assert theirs == [(0, 0.25), (0.25, 1.0)]
    assert axes.patches[7].get_hatch() == "//////" and not axes.patches[3].get_hatch()
    assert [t.get_text() for t in axes.texts] == ["4  ", "16  "]
    assert [t.label1.get_text() for t in axes.yaxis.get_major_ticks()] == [
        "TreeLSTM", "acrobat", "DyNet",
    ]  # fmt: skip
    (legend,) = figure.legends
    names = [t.get_text() for t in legend.get_texts()]
    assert f"{TOGETHER}, not told apart" in names and "input, before the timed run" in names


def test_cells_of_acrobat_alone_are_left_out_beside_others() -> None:
    alone = row("acrobat", 1.0, workload="drnn", model_size="tiny", **_PARTS)
    (figure,) = breakdown_figures(frame(*_rows(), alone))
    assert [a.get_title(loc="left") for a in figure.axes] == ["small, batch 8, 2 threads"]
    (figure,) = breakdown_figures(frame(alone))
    assert [a.get_title(loc="left") for a in figure.axes] == ["tiny, batch 8, 2 threads"]


def test_nothing_known_is_no_cell() -> None:
    assert not activity_cells(frame(row("torch_eager", 1.0, input_ms=1.0)))
    assert not activity_cells(frame(row("acrobat", None, status="error", reason="", **_PARTS)))


@pytest.mark.slow
def test_many_workloads_fit_on_pages_and_numbers_beside_bars() -> None:
    rows = [on_gpu(s, ms * b * 1e3, batch_size=b, model_size=size, workload=f"w{w}", **parts)
            for s, ms, parts in (("acrobat", 1.0, _PARTS), ("dynet", 3.0, _DYNET))
            for b in (8, 64) for size in ("tiny", "small", "large") for w in range(8)]  # fmt: skip
    figures = breakdown_figures(frame(*rows))
    assert max(f.get_figheight() for f in figures) <= 9.0
    for figure in figures:
        figure.draw_without_rendering()
        for axes in figure.axes:
            boxes = [t.get_window_extent() for t in axes.texts]
            patches: list[Any] = list(axes.patches)
            boxes += [p.get_window_extent() for p in patches if p.get_width()]
            texts = boxes[: len(axes.texts)]
            for one, two in itertools.product(texts, boxes):
                assert one is two or not one.overlaps(two)
