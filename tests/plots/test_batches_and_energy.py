"""F3, curves over batch sizes, and F6, energy, from fixed rows."""

from __future__ import annotations

import math
from pathlib import Path

from plot_rows import frame, on_gpu, row, save

from plots.batches import batch_figure, batch_rows, batch_table
from plots.energy import energy_figure, energy_rows, energy_table
from plots.report import write_report

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


def test_curves_are_interrupted_where_there_is_no_time() -> None:
    figure = batch_figure(frame(*_curve()))
    latency, throughput = figure.axes
    assert latency.get_xscale() == latency.get_yscale() == throughput.get_yscale() == "log"
    ours, theirs = latency.get_lines()
    assert list(ours.get_xdata()) == list(_BATCHES)
    assert list(ours.get_ydata()) == [2.0, 9.0, 65.0, 1025.0]
    assert [math.isnan(y) for y in theirs.get_ydata()] == [False, False, False, True]
    crosses = [c.get_offsets().tolist() for c in latency.collections if len(c.get_offsets())]
    assert crosses == [[[1024.0, 0.02]]]
    assert [t.get_text() for t in throughput.get_xticklabels()] == [str(b) for b in _BATCHES]
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "GPU: NVIDIA H200"
    assert [t.get_text() for t in legend.get_texts()] == ["acrobat", "DyNet (best strategy)"]


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
    figure = energy_figure(frame(*_energy()))
    drnn, treelstm = figure.axes
    assert [p.get_height() for p in drnn.patches] == [750.0]
    assert [round(p.get_height(), 6) for p in treelstm.patches] == [100.0, 400.0]
    assert len(treelstm.collections) == 1 and len(drnn.collections) == 2  # crosses
    assert [t.get_text() for t in treelstm.texts] == ["100", "400"]


def test_no_energy_no_rows() -> None:
    assert energy_rows(frame(row("acrobat", 1.0), row("floor", 1.0, energy_j=1.0))).empty
    assert energy_rows(frame(row("floor", 1.0, energy_j=1.0))).empty


def test_the_report_has_them(tmp_path: Path) -> None:
    save(tmp_path, *_curve(), *_energy())
    said: list[str] = []
    written = write_report(tmp_path, tmp_path / "out", said.append)
    names = {p.name for p in written}
    for code in ("F3_batches.cuda", "F6_energy.cuda"):
        assert {f"{code}.{s}" for s in ("csv", "md", "tex", "pdf", "svg", "png")} <= names
    assert said == [
        "cuda: no T4, for there are no rows of cortex",
        "cuda: 2 of 20 rows failed (1 oom, 1 wrong); their reason says why",
        "cuda: 0 of 19 rows may be unstable",
    ]
