"""F3, curves over batch sizes, and F6, energy, from fixed rows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection

from harness.intervals import Interval
from plots.batches import batch_figures, batch_rows, batch_table, per_second
from plots.energy import energy_figures, energy_rows, energy_table
from plots.report import write_report
from tests.plots.plot_rows import frame, on_gpu, row, save, spread

_BATCHES = (1, 8, 64, 1024)


def _curve() -> list[dict[str, object]]:
    rows = [on_gpu("acrobat", 1.0 + b, batch_size=b) for b in _BATCHES]
    rows += [on_gpu("dynet", 4.0 * b, "autobatch2", batch_size=b) for b in _BATCHES[:2]]
    rows += [on_gpu("dynet", 5.0 * b, "autobatch1", batch_size=b) for b in _BATCHES[:3]]
    no = {"status": "oom", "reason": "too large"}
    rows.append(on_gpu("dynet", None, "autobatch1", batch_size=1024, **no))
    # Measured at fewer: no curve.
    rows += [on_gpu("torch_eager", 99.0, batch_size=b) for b in (8, 64)]
    return [*rows, on_gpu("acrobat", 1.0, workload="drnn")]


def test_batch_table() -> None:
    table = batch_table(frame(*_curve()))
    assert table.to_csv(index=False) == (
        "workload,size,batch,threads,acrobat ms,acrobat inst/s,dynet ms,dynet inst/s,"
        "dynet variant\n"
        "treelstm,small,1,1,2,500,4,250,autobatch2\n"
        "treelstm,small,8,1,9,889,32,250,autobatch2\n"
        "treelstm,small,64,1,65,985,320,200,autobatch1\n"
        "treelstm,small,1024,1,1025,999,oom: too large,-,\n"
    )


@pytest.mark.slow
def test_curves_are_interrupted_where_there_is_no_time() -> None:
    (figure,) = batch_figures(frame(*_curve()))
    latency, throughput = figure.axes
    assert latency.get_xscale() == latency.get_yscale() == throughput.get_yscale() == "log"
    # The caps of whiskers are lines too.
    lines: list[Any] = [*latency.get_lines()]
    ours, theirs = (line for line in lines if line.get_linestyle() == "-")
    assert list(ours.get_xdata()) == list(_BATCHES)
    assert list(ours.get_ydata()) == [2.0, 9.0, 65.0, 1025.0]
    assert [math.isnan(y) for y in theirs.get_ydata()] == [False, False, False, True]
    crosses = [c for c in latency.collections if isinstance(c, PathCollection)]
    places = [np.asarray(c.get_offsets()) for c in crosses]
    offsets = [p.tolist() for p in places if len(p)]
    assert offsets == [[[1024.0, 0.02]]]
    assert [t.get_text() for t in throughput.get_xticklabels()] == [str(b) for b in _BATCHES]
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "GPU: NVIDIA H200"
    assert [t.get_text() for t in legend.get_texts()] == [
        "acrobat",
        "DyNet, best strategy",
        "no time",
    ]


def test_one_or_two_batch_sizes_are_no_curve() -> None:
    assert batch_rows(frame(row("acrobat", 1.0), row("acrobat", 1.0, batch_size=64))).empty


def _energy() -> list[dict[str, object]]:
    return [
        on_gpu("acrobat", 2.0, energy_j=0.8),
        on_gpu("acrobat", 3.0, "persistent", energy_j=0.1),
        on_gpu("torch_batched", 10.0, energy_j=3.2),
        on_gpu("dynet", 1.0, energy_j=9.0, max_abs_err=1.0, reason="over tolerance"),
        on_gpu("dynet", 20.0, workload="drnn", energy_j=6.0),
        on_gpu("torch_batched", 5.0, workload="drnn"),
        # Nothing of this cell or system is known; a limit has no energy.
        on_gpu("acrobat", 2.0, workload="birnn", energy_j=None),
        on_gpu("torch_eager", 50.0, energy_j=0.0),
        on_gpu("floor", 1.0, energy_j=1.0),
    ]


def test_energy_table() -> None:
    table = energy_table(frame(*_energy()))
    assert table.to_csv(index=False) == (
        "workload,size,batch,threads,system,variant,J per mini-batch,J per instance,W,/ acrobat\n"
        "drnn,small,8,1,dynet,full,6,0.75,300,-\n"
        "drnn,small,8,1,torch_batched,full,-,-,-,-\n"
        "treelstm,small,8,1,acrobat,full,0.8,0.1,400,1.00\n"
        "treelstm,small,8,1,dynet,,9 (wrong: over tolerance),-,-,-\n"
        "treelstm,small,8,1,torch_batched,full,3.2,0.4,320,4.00\n"
    )


def test_energy_figure() -> None:
    rows = _energy()
    rows[2]["doubt"] = "unsure"
    (figure,) = energy_figures(frame(*rows))
    (axes,) = figure.axes
    assert axes.get_yscale() == "log"
    lines: list[Any] = [*axes.get_lines()]
    points = [tuple(p.get_data()[1]) for p in lines]
    assert sorted(round(y, 6) for (y,) in points) == [100.0, 400.0, 750.0]
    assert len(axes.collections) == 2  # crosses
    hollow = [p.get_data()[1][0] for p in lines if p.get_markerfacecolor() == "white"]
    assert hollow == [400.0]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["DRNN", "Tree\nLSTM"]
    (legend,) = figure.legends
    names = [t.get_text() for t in legend.get_texts()]
    assert names[-2:] == ["may be unstable", "not known"]


def test_curves_have_whiskers_and_hollow_points_in_both_panels() -> None:
    rows = [on_gpu("acrobat", float(b), batch_size=b) for b in (1, 8, 64)]
    rows[1] = spread(rows[1], 0.3) | {"doubt": "unsure"}
    (figure,) = batch_figures(frame(*rows))
    for axes, middle in zip(figure.axes, (8.0, 1000.0), strict=True):
        lines = [c for c in axes.collections if isinstance(c, LineCollection)]
        whiskers = [c.get_segments()[0][:, 1] for c in lines]
        (low, high), *_ = [w for w in whiskers if w[0] < w[1]]
        assert low < middle < high
        curves: list[Any] = [*axes.get_lines()]
        (point,) = [p for p in curves if p.get_markerfacecolor() == "white"]
        assert list(point.get_data()[1]) == [middle]


def test_curves_of_many_workloads_are_on_several_pages() -> None:
    rows = [on_gpu("acrobat", 1.0, workload=f"w{n}", batch_size=b) for n in range(7)
            for b in (1, 2, 4)]  # fmt: skip
    figures = batch_figures(frame(*rows))
    assert [len(f.axes) for f in figures] == [8, 6]
    assert max(f.get_figheight() for f in figures) <= 9.0


def test_instances_per_second() -> None:
    assert per_second(Interval(2.0, 1.0, 4.0), 8) == Interval(4000.0, 2000.0, 8000.0)


def test_no_energy_no_rows() -> None:
    assert energy_rows(frame(row("acrobat", 1.0), row("floor", 1.0, energy_j=1.0))).empty
    assert energy_rows(frame(row("floor", 1.0, energy_j=1.0))).empty


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_report_has_them(tmp_path: Path) -> None:
    save(tmp_path, *_curve(), *_energy())
    said: list[str] = []
    written = write_report(tmp_path, tmp_path / "out", said.append)
    names = {p.name for p in written}
    for code in ("F3_batches.cuda", "F6_energy.cuda"):
        assert {f"{code}.{s}" for s in ("csv", "md", "tex", "pdf", "svg", "png")} <= names
    assert said == [
        "cuda: no T4, for there are no rows of cortex",
        "cuda: no T5b, for there are no rows of jax_vmap, jax_levels, torchfold, dgl, tfp",
        "cuda: no T6, for no row of acrobat, dynet, cortex has activities",
        "cuda: no F4, for no row of acrobat, dynet, cortex has activities",
        "cuda: 2 of 20 rows failed (1 oom, 1 wrong); their reason says why",
        "cuda: 0 of 19 rows may be unstable",
    ]
