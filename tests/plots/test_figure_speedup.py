"""F1 from fixed rows: bars from 1, one scale, means, marks, and labels that do not collide."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import baselines
from harness import intervals
from plots.rows import load_rows
from plots.speedup import speedup_figures
from tests.plots.plot_rows import frame, on_gpu, row, spread

_REFERENCE = Path(__file__).parents[2] / "results" / "reference"


def _figure(*rows: dict[str, object]) -> Figure:
    (figure,) = speedup_figures(frame(*rows))
    return figure


def _bars(figure: Figure) -> list[list[tuple[float, float]]]:
    """Per panel the ends of the bars, from 1."""
    return [[(round(b.get_y(), 6), round(b.get_y() + b.get_height(), 6)) for b in axes.patches
             if isinstance(b, Rectangle)] for axes in figure.axes]  # fmt: skip


def _texts(figure: Figure) -> list[list[str]]:
    return [[t.get_text() for t in axes.texts] for axes in figure.axes]


def _legend(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [t.get_text() for t in legend.get_texts()]


def test_bars_go_from_one_to_the_ratio_and_then_comes_the_mean() -> None:
    figure = _figure(
        row("acrobat", 2.0),
        row("dynet", 9.0, "autobatch1"),
        row("dynet", 8.0, "autobatch2"),
        row("dynet", 1.0, "autobatch3", max_abs_err=0.5, reason="over tolerance"),
        row("floor", 1.0),
        row("acrobat", 1.0, workload="drnn"),
        row("dynet", 1.0, workload="drnn"),
        row("torch_eager", None, workload="drnn", status="error", reason="it broke"),
    )
    # DRNN: DyNet; TreeLSTM: DyNet, floor; means: DyNet of both, the floor of one.
    assert _bars(figure) == [[(1.0, 1.0), (1.0, 4.0), (1.0, 0.5), (1.0, 2.0), (1.0, 0.5)]]
    assert _texts(figure) == [["1.00", "e", "4.00", "0.50", "2.00", "0.50 n=1"]]
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "small, batch 8, 2 threads (n=2)"
    names = [t.get_text() for t in axes.get_xticklabels()]
    assert names == ["DRNN", "Tree\nLSTM", "geo.\nmean"]
    assert _legend(figure) == [
        "DyNet, best strategy on 1 thread",
        "PyTorch eager",
        "library GEMMs alone",
        "no difference: interval includes 1",
        "error",
    ]
    assert figure.get_figwidth() == 3.33


def test_hollow_is_no_difference() -> None:
    figure = _figure(
        spread(row("acrobat", 1.0), 0.2),
        spread(row("dynet", 1.02), 0.2),
        spread(row("floor", 2.0), 0.2),
    )
    (axes,) = figure.axes
    dynet, floor = axes.patches[:2]
    assert dynet.get_facecolor()[:3] == (1.0, 1.0, 1.0) and floor.get_facecolor()[:3] != (1, 1, 1)
    assert "no difference: interval includes 1" in _legend(figure)


def test_whiskers_are_the_interval_of_both_sides() -> None:
    sure, unsure = row("acrobat", 1.0), spread(row("acrobat", 1.0), 0.2)
    for ours, wide in ((sure, False), (unsure, True)):
        (axes,) = _figure(ours, row("dynet", 4.0)).axes
        lines: list[Any] = list(axes.collections)
        (low, high), *_ = [c.get_segments()[0][:, 1] for c in lines if c.get_segments()]
        assert (low < 4.0 < high) if wide else low == high == 4.0


def test_unstable_rows_have_a_dot() -> None:
    doubt = {"doubt": "the 95% interval of the median is ±8% (3 samples)"}
    for ours, theirs in ((doubt, {}), ({}, doubt)):
        figure = _figure(row("acrobat", 1.0, **ours), row("dynet", 4.0, **theirs))
        assert _texts(figure) == [["•", "4.00", "4.00"]]
        assert "may be unstable" in _legend(figure)
    assert "may be unstable" not in _legend(_figure(row("acrobat", 1.0), row("dynet", 4.0)))


def test_a_mean_is_of_one_version_of_the_sources() -> None:
    rows = [row(s, ms, workload=w) for w in ("drnn", "birnn", "treelstm")
            for s, ms in (("acrobat", 1.0), ("dynet", 4.0))]  # fmt: skip
    rows[-2]["source_hash"] = "other"
    rows[-1]["median_ms"], rows[-1]["samples_ms"] = 100.0, [100.0] * 8
    figure = _figure(*rows)
    assert _texts(figure) == [["4.00", "4.00", "100", "4.00", "†"]]
    assert figure.axes[0].get_title(loc="left").endswith("(n=2)")
    assert "of other sources, not in the mean" in _legend(figure)


@pytest.mark.slow
def test_panels_have_one_scale_and_pages_are_no_taller_than_a_page() -> None:
    rows = [on_gpu(s, ms * b, batch_size=b, threads=t, model_size=size)
            for s, ms in (("acrobat", 1.0), ("torch_eager", 30.0), ("floor", 0.4))
            for b in (8, 64) for t in range(1, 6) for size in ("small", "large")]  # fmt: skip
    figures = speedup_figures(frame(*rows))
    assert len(figures) == 2 and sum(len(f.axes) for f in figures) == 20
    assert {f.get_figwidth() for f in figures} == {7.0}
    assert max(f.get_figheight() for f in figures) <= 9.0
    ((low, high),) = {axes.get_ylim() for f in figures for axes in f.axes}
    assert low < 0.4 and high > 30


def test_bars_of_a_curve_are_those_of_the_usual_batches() -> None:
    rows = [on_gpu(s, 1.0, batch_size=b) for b in (1, 2, 8, 64, 256) for s in ("acrobat", "floor")]
    figure = _figure(*rows)
    # The thread of a GPU's row is not told.
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "small, batch 8 (n=1)",
        "small, batch 64 (n=1)",
    ]
    assert _legend(figure)[0] == "library GEMMs or launches alone"


def test_a_cell_without_our_time_says_why() -> None:
    figure = _figure(
        row("acrobat", None, status="timeout", reason="300 s"),
        row("dynet", 1.0),
        row("dynet", 1.0, workload="drnn"),
    )
    assert _texts(figure) == [["acrobat: not measured", "acrobat: timeout"]]


def _few() -> pd.DataFrame:
    """A small run in which one system cannot, another fails, and a third is in doubt."""
    rows = []
    for workload, batch in itertools.product(("birnn", "treelstm"), (8, 64)):
        times = {"acrobat": 1.0, "torch_batched": 1.01, "torch_compile": 2.5, "floor": 0.9}
        cell = [spread(row(s, ms, workload=workload, batch_size=batch), 0.3)
                for s, ms in times.items()]  # fmt: skip
        cell += [row("dynet", None, workload=workload, batch_size=batch, status="error", reason="")]
        no = {"status": "unsupported", "reason": ""}
        cell += [row("cortex", None, workload=workload, batch_size=batch, **no)]
        rows += [r | {"doubt": "unsure"} if r["status"] == "ok" else r for r in cell]
    return frame(*rows)


def _reference(machine: str) -> pd.DataFrame:
    return load_rows(_REFERENCE / machine)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(_few, id="few"),
        pytest.param(lambda: _reference("epyc-zen5-2core"), id="epyc"),
        pytest.param(lambda: _reference("epyc-zen4-2core-generalize"), id="other-networks"),
        pytest.param(
            lambda: _reference("xeon-avx512-2core"), id="xeon", marks=pytest.mark.exhaustive
        ),
    ],
)
def test_no_two_labels_collide(
    rows: Callable[[], pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intervals, "RESAMPLES", 100)
    for figure in speedup_figures(rows()):
        figure.draw_without_rendering()
        inside = figure.get_window_extent()
        for axes in figure.axes:
            texts = [*axes.texts, axes._left_title]  # type: ignore[attr-defined]
            bottom = axes.xaxis.get_tick_params()["labelbottom"]
            names = axes.get_xticklabels() if bottom else []
            texts += names
            # Points on either side, without which names of neighbours read as one.
            near = 1.5 * figure.dpi / 72
            boxes = [
                (t.get_text(), t.get_window_extent().padded(near if t in names else 0))
                for t in texts
                if t.get_text()
            ]
            assert len(boxes) > 1
            for (a, one), (b, two) in itertools.combinations(boxes, 2):
                # A dot's box is that of a letter.
                if "•" not in (a, b):
                    assert not one.overlaps(two), (axes.get_title(loc="left"), a, b)
            assert all(inside.x0 <= b.x0 and b.x1 <= inside.x1 for _, b in boxes)
        (legend,) = figure.legends
        assert inside.x0 <= legend.get_window_extent().x0


def test_all_opponents_have_a_colour_of_their_own() -> None:
    opponents = baselines.names()[1:]
    rows = frame(*(row(s, 2.0) for s in ("acrobat", *opponents)))
    (figure,) = speedup_figures(rows)
    (legend,) = figure.legends
    faces = [h.get_facecolor() for h in legend.get_patches()]
    # The last is what is no difference.
    assert len(set(faces[:-1])) == len(opponents) == len(faces) - 1
