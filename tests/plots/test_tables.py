"""Tables from fixed rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from plots.expressed import expressed_table
from plots.means import mean_speedups
from plots.modern import modern_table
from plots.rows import CELL, load_rows
from plots.tables import (
    headline,
    opponent_table,
    pytorch_table,
    variants,
    workload_table,
)
from plots.write import write_table
from tests.plots.plot_rows import frame, on_gpu, row


@pytest.fixture
def rows() -> pd.DataFrame:
    return frame(
        row("acrobat", 2.0),
        row("dynet", 9.0, "autobatch1"),
        row("dynet", 8.0, "autobatch2"),
        row("dynet", 1.0, "autobatch3", max_abs_err=0.5, reason="over tolerance"),
        row("torch_eager", 40.0),
        row("torch_batched", None, status="error", reason="it broke"),
        row("torch_compile", 6.0),
        row("floor", 1.6),
    )


def test_dynet_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    write_table(opponent_table(rows, "dynet"), tmp_path / "T3")
    assert (tmp_path / "T3.csv").read_text() == (
        "workload,size,batch,threads,acrobat ms,DyNet ms,DyNet strategy,speed-up,speed-up low,"
        "speed-up high,max abs err,autobatch1 ms,autobatch2 ms,autobatch3 ms,doubt\n"
        "treelstm,small,8,2,2,8,autobatch2,4,4,4,1.0e-07,9,8,1 (wrong: over tolerance),\n"
    )


def test_cortex_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    cortex = [row("cortex", 2.2), row("cortex", 2.1, "unroll")]
    no = row("cortex", None, workload="drnn", status="unsupported", reason="no shape")
    rows = pd.concat([rows, pd.DataFrame([*cortex, no, row("acrobat", 1.0, workload="drnn")])])
    write_table(opponent_table(rows, "cortex"), tmp_path / "T4")
    assert (tmp_path / "T4.csv").read_text() == (
        "workload,size,batch,threads,acrobat ms,Cortex-like ms,Cortex-like schedule,speed-up,"
        "speed-up low,speed-up high,max abs err,full ms,unroll ms,doubt\n"
        "drnn,small,8,2,1,unsupported: no shape,,,,,1.0e-07,unsupported: no shape,not measured,\n"
        "treelstm,small,8,2,2,2.1,unroll,1.05,1.05,1.05,1.0e-07,2.2,2.1,\n"
    )


def test_table_of_systems_of_today(rows: pd.DataFrame, tmp_path: Path) -> None:
    more = [row("jax_vmap", 5.0), row("jax_levels", None, status="skipped", reason="not made")]
    no = row("jax_levels", None, workload="drnn", status="unsupported", reason="no model")
    wrong = row("acrobat", 1.0, workload="drnn", max_abs_err=0.5, reason="over tolerance")
    # A cell that none of them has a row of has no line.
    other = row("torch_batched", 3.0, workload="birnn")
    mine = row("jax_vmap", 3.0, workload="drnn")
    rows = pd.concat([rows, pd.DataFrame([*more, no, wrong, other, mine])], ignore_index=True)
    family = ("jax_vmap", "jax_levels")
    write_table(modern_table(rows, family, (*family, "torch_batched")), tmp_path / "T5b")
    lines = (tmp_path / "T5b.csv").read_text().splitlines()
    assert lines == [
        "workload,size,batch,threads,acrobat ms,JAX vmap ms,speed-up over JAX vmap,"
        "speed-up over JAX vmap low,speed-up over JAX vmap high,JAX levels ms,"
        "speed-up over JAX levels,expert ms,speed-up over expert,doubt",
        "drnn,small,8,2,1 (wrong: over tolerance),3,,,,unsupported: no model,"
        "unsupported: no model,not measured,not measured,",
        "treelstm,small,8,2,2,5,2.5,2.5,2.5,skipped: not made,skipped: not made,"
        "error: it broke,error: it broke,",
    ]
    # Where a ratio cannot be, the other formats have the reason, as a note.
    drnn = (tmp_path / "T5b.md").read_text().splitlines()[2].split("|")
    found = [cell.strip() for cell in drnn][5:9]
    assert found == ["1 (wrong) [1]", "3", "1 (wrong) [1]", "unsupported [2]"]


def test_pytorch_table(rows: pd.DataFrame, tmp_path: Path) -> None:
    table = pytorch_table(rows)
    assert table.astype(str).to_csv(index=False) == (
        "workload,size,batch,threads,acrobat ms,eager ms,speed-up over eager,expert ms,"
        "speed-up over expert,compiled ms,speed-up over compiled,floor ms,acrobat / floor,doubt\n"
        'treelstm,small,8,2,2,40,"20.0 [20.0, 20.0]",error: it broke,-,6,"3.00 [3.00, 3.00]",1.6,'
        '"1.25 [1.25, 1.25]",\n'
    )
    assert headline(table)[4:] == [
        "acrobat ms",
        *(f"speed-up over {other}" for other in ("eager", "expert", "compiled")),
        "acrobat / floor",
    ]
    assert variants(table)[4:] == ["eager ms", "expert ms", "compiled ms", "floor ms"]


def test_the_floor_of_a_gpu_is_the_larger_of_two() -> None:
    launches = [on_gpu("floor", 3.0, "launches"), on_gpu("floor", 2.0, "launches", batch_size=64)]
    products = [on_gpu("floor", 1.0), on_gpu("floor", 8.0, batch_size=64)]
    ours = [on_gpu("acrobat", 6.0, batch_size=b) for b in (8, 64)]
    no = on_gpu("floor", None, "launches", batch_size=512, status="error", reason="it broke")
    last = [no, on_gpu("floor", 9.0, batch_size=512), on_gpu("acrobat", 18.0, batch_size=512)]
    table = pytorch_table(frame(*launches, *products, *ours, *last)).astype(str)
    columns = ["floor ms", "floor of", "acrobat / floor", "products ms", "launches ms"]
    assert table[columns].to_numpy().tolist() == [
        ["3", "launches", "2.00 [2.00, 2.00]", "1", "3"],
        ["8", "products", "0.75 [0.75, 0.75]", "8", "2"],
        ["9", "products", "2.00 [2.00, 2.00]", "9", "error: it broke"],
    ]


def test_the_best_way_to_run_is_named() -> None:
    rows = frame(
        on_gpu("acrobat", 3.0),
        on_gpu("acrobat", 2.0, "persistent"),
        on_gpu("acrobat", 0.5, "gpu_mode=other", max_abs_err=0.5, reason="over tolerance"),
        # Neither an ablation nor another precision is a headline.
        on_gpu("acrobat", 1.0, "off"),
        on_gpu("acrobat", 1.0, "off+hoisting"),
        on_gpu("acrobat", 1.0, "hoisting=off"),
        on_gpu("acrobat", 1.0, "gpu_mode=other,precision=tf32"),
        on_gpu("dynet", 8.0, "autobatch1"),
        on_gpu("acrobat", 5.0, batch_size=64),
        on_gpu("acrobat", None, "persistent", batch_size=64, status="oom", reason="too large"),
    )
    table = opponent_table(rows, "dynet").astype(str)
    columns = ["acrobat ms", "acrobat variant", "speed-up"]
    every = ["acrobat full ms", "acrobat gpu_mode=other ms", "acrobat persistent ms"]
    assert table[columns + every].to_numpy().tolist() == [
        ["2", "persistent", "4.00 [4.00, 4.00]", "3", "0.5 (wrong: over tolerance)", "2"],
    ]
    assert list(table.columns[-5:]) == [*every, "autobatch1 ms", "doubt"]
    # DyNet was not measured at batch 64.
    table = workload_table(rows).astype(str)
    assert table[["batch", "acrobat ms"]].to_numpy().tolist() == [["8", "3"], ["64", "5"]]


def test_a_wrong_acrobat_has_no_speed_up(rows: pd.DataFrame) -> None:
    rows.loc[rows["system"] == "acrobat", "max_abs_err"] = 1.0
    (line,) = opponent_table(rows, "dynet").to_dict("records")
    assert line["speed-up"] == "-" and str(line["acrobat ms"]).startswith("2 (wrong")


def test_means_are_of_valid_cells_with_the_usual_batches() -> None:
    times = (("acrobat", 1.0), ("dynet", 9.0))
    curve = [row(s, ms, batch_size=b) for b in (1, 2, 4) for s, ms in times]
    rows = frame(
        *curve,
        row("acrobat", 1.0),
        row("dynet", 2.0),
        row("acrobat", 1.0, batch_size=64),
        row("dynet", 8.0, batch_size=64),
        row("acrobat", 1.0, batch_size=64, threads=1),
        row("dynet", 3.0, batch_size=64, threads=1),
        row("acrobat", 1.0, workload="drnn"),
        row("dynet", 1.0, workload="drnn", max_abs_err=1.0),
    )
    assert mean_speedups(rows, {"dynet": "DyNet", "cortex": "Cortex"}) == [
        "Geometric mean of the speed-up over DyNet: small, 2 threads (DyNet on 1): "
        "4.00 [4.00, 4.00] (n=2); small, 1 thread: 3.00 [3.00, 3.00] (n=1)."
    ]


def test_no_rows_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no rows; measure first, with `acrobat bench`"):
        load_rows(tmp_path)
    assert CELL == ["workload", "model_size", "batch_size", "threads"]


def test_what_each_system_can_express() -> None:
    why = "its shape is not known before"
    table = expressed_table(
        frame(
            row("acrobat", 2.0),
            row("acrobat", 3.0, workload="drnn"),
            row("cortex", 2.0),
            row("cortex", None, workload="drnn", status="unsupported", reason=why),
            row("dynet", 2.0, "autobatch1", max_abs_err=0.5, reason="over tolerance"),
            row("dynet", 2.0, "autobatch2"),
            row("floor", 1.0),
        )
    )
    assert list(table["system"]) == ["acrobat", "DyNet", "Cortex-like"]
    assert list(map(str, table["treelstm"])) == ["yes", "yes", "yes"]
    assert list(map(str, table["drnn"])) == ["yes", "not measured", f"no: {why}"]
