"""Files of tables and figures, a report of two devices, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from acrobat.cli import main
from plots.cells import Marked
from plots.report import write_report
from plots.rows import load_rows
from plots.write import write_table
from tests.plots.plot_rows import on_gpu, row, save
from tests.selection import some

_LONG = "cortex has no CUDA path: 50% of\nit & more_"
_ON_CPU = ["F1_speedup", "T1_systems", "T2_workloads", "T3_dynet", "T3_dynet_variants", "T9_claims"]
_ON_GPU = [f"{name}.cuda" for name in (*_ON_CPU, "T4_cortex", "T4_cortex_variants")]


def test_reasons_are_footnotes(tmp_path: Path) -> None:
    again, other = Marked("unsupported", _LONG), Marked("1 (wrong)", "over tolerance")
    table = pd.DataFrame({"batch": [8, 64], "a ms": [again, "1.50"], "b ms": [other, again]})
    write_table(table, tmp_path / "T.x", "T. All & everything.", ["A remark."])
    assert (tmp_path / "T.x.csv").read_text() == (
        f'batch,a ms,b ms\n8,"unsupported: {_LONG}",1 (wrong: over tolerance)\n'
        f'64,1.50,"unsupported: {_LONG}"\n'
    )
    assert (tmp_path / "T.x.md").read_text() == (
        "T. All & everything.\n\n"
        "|   batch |            a ms |            b ms |\n"
        "|--------:|----------------:|----------------:|\n"
        "|       8 | unsupported [1] |   1 (wrong) [2] |\n"
        "|      64 |            1.50 | unsupported [1] |\n\n"
        "A remark.\n\n"
        "1. cortex has no CUDA path: 50% of it & more_\n"
        "2. over tolerance\n"
    )
    tex = (tmp_path / "T.x.tex").read_text()
    assert tex.startswith(
        "% \\usepackage{booktabs}\n\\begin{table}[tp]\n\\centering\n"
        "\\caption{T. All \\& everything.}\n\\label{tab:T.x}\n"
    )
    assert "\n8 & unsupported [1] & 1 (wrong) [2] \\\\\n" in tex
    assert tex.endswith(
        "\\scriptsize\\raggedright\n"
        "A remark.\\par\n"
        "[1] cortex has no CUDA path: 50\\% of it \\& more\\_\\par\n"
        "[2] over tolerance\\par\n"
        "\\end{minipage}\n"
        "\\end{table}\n"
    )


def _two_devices(raw: Path) -> None:
    save(
        raw,
        row("acrobat", 2.0),
        row("dynet", 4.0, "autobatch1"),
        on_gpu("acrobat", 1.0),
        on_gpu("dynet", 9.0, "autobatch1"),
        on_gpu("cortex", None, status="unsupported", reason=_LONG),
    )


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_each_device_has_its_own_files(tmp_path: Path) -> None:
    _two_devices(tmp_path / "raw")
    said: list[str] = []
    written = write_report(tmp_path / "raw", tmp_path / "out", said.append)
    stems = {p.name[: -len(p.suffix)] for p in written}
    assert sorted(stems) == sorted([*_ON_CPU, *_ON_GPU, "index"])
    assert all(p.stat().st_size > 0 for p in written) and len(written) == 57
    tables = tmp_path / "out" / "tables"
    cpu, gpu = (tables / "T3_dynet.md").read_text(), (tables / "T3_dynet.cuda.md").read_text()
    about = "T3. ACRoBat against DyNet: median milliseconds of a mini-batch."
    assert cpu.startswith(f"{about} CPU: A CPU, 2 cores (znver4, 256-bit vectors).\n")
    assert gpu.startswith(f"{about} GPU: NVIDIA H200.\n")
    assert "DyNet: small, 2 threads (DyNet on 1): 2.00 [2.00, 2.00] (n=1)." in cpu
    assert "DyNet runs on 1 thread, whatever a cell allows.\n" in cpu and "runs on" not in gpu
    assert "speed-up over DyNet: small: 9.00 [9.00, 9.00] (n=1)." in gpu
    assert (tables / "T3_dynet.csv").read_text().count("\n") == 2
    assert (tables / "T4_cortex.cuda.csv").read_text().endswith(f'"unsupported: {_LONG}",\n')
    # What there are no rows for is told instead of an empty table.
    torch = "torch_eager, torch_batched, torch_compile, floor"
    today = "jax_vmap, jax_levels, torchfold, dgl, tfp"
    empty = (
        "no T6, for no row of acrobat, dynet, cortex has activities",
        "no F3, for nothing was measured at 3 batch sizes",
        "no F4, for no row of acrobat, dynet, cortex has activities",
        "no F6, for no row has energy_j (no counter that can be read)",
    )
    assert said == [
        "cpu: no T4, for there are no rows of cortex",
        f"cpu: no T5, for there are no rows of {torch}",
        f"cpu: no T5b, for there are no rows of {today}",
        *(f"cpu: {line}" for line in empty),
        "cpu: 0 of 2 rows may be unstable",
        f"cuda: no T5, for there are no rows of {torch}",
        f"cuda: no T5b, for there are no rows of {today}",
        *(f"cuda: {line}" for line in empty),
        "cuda: 1 of 3 rows are of what a system says it cannot run",
        "cuda: 0 of 2 rows may be unstable",
    ]


@pytest.mark.slow
def test_the_same_rows_give_the_same_files(tmp_path: Path) -> None:
    save(tmp_path / "raw", row("acrobat", 2.0), row("dynet", 4.0, "autobatch1"))
    first = write_report(tmp_path / "raw", tmp_path / "a" / "out", lambda _: None)
    second = write_report(tmp_path / "raw", tmp_path / "b" / "out", lambda _: None)
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _two_devices(tmp_path / "raw")
    out = tmp_path / "out"
    assert main(["report", "--rows", str(tmp_path / "raw"), "--out", str(out)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "cpu: no T4, for there are no rows of cortex"
    assert str(out / "figures" / "F1_speedup.cuda.png") in said


def test_rows_of_two_machines_are_refused(tmp_path: Path) -> None:
    for machine in ("a", "b"):
        save(tmp_path / machine, on_gpu("acrobat", 1.0))
    with pytest.raises(ValueError) as info:
        load_rows(tmp_path)
    path = "cuda/treelstm/small/acrobat/full/bs8.t1.json"
    assert str(info.value) == (
        f"{tmp_path}: {tmp_path}/a/{path} and {tmp_path}/b/{path} are rows of the same point; "
        f"name a folder with the rows of one machine"
    )


def test_a_table_in_a_browser(tmp_path: Path) -> None:
    table = pd.DataFrame({"a & b": ["<x>", Marked("unsupported", "no such < model")], "ms": [1, 2]})
    write_table(table, tmp_path / "T", "T. 1 < 2.", ["A remark."])
    page = (tmp_path / "T.html").read_text()
    assert "<p>T. 1 &lt; 2.</p>" in page and "<p>A remark.</p>" in page
    assert "a &amp; b" in page and "&lt;x&gt;" in page and "<x>" not in page
    assert '<td style="text-align: right;">' in page and "unsupported [1]" in page
    assert "<li>no such &lt; model</li>" in page


def test_all_threads_of_one_core(tmp_path: Path) -> None:
    """Where "1" and "all" are the same point, the number asked for counts."""
    for label, time in (("t1", 1.0), ("tall", 2.0)):
        path = tmp_path / f"cpu/treelstm/tiny/bs8.{label}/acrobat/full.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(row("acrobat", time, batch_size=8, threads=1)))
    assert load_rows(tmp_path)["median_ms"].tolist() == [1.0]
    assert load_rows(tmp_path / "cpu/treelstm/tiny/bs8.tall")["median_ms"].tolist() == [2.0]


@pytest.mark.usefixtures("undrawn")
def test_a_gpu_that_was_not_found(tmp_path: Path) -> None:
    rows = [on_gpu(s, None, status="error", reason="no GPU") for s in ("acrobat", "dynet")]
    save(tmp_path, *(r | {"device_name": "none: there is no NVIDIA driver"} for r in rows))
    write_report(tmp_path, tmp_path / "out", lambda _: None)
    text = (tmp_path / "out" / "tables" / "T3_dynet.cuda.md").read_text()
    assert text.startswith(
        "T3. ACRoBat against DyNet: median milliseconds of a mini-batch. GPU: not found.\n"
    )
    assert "error [1]" in text and text.endswith("\n1. no GPU\n")


@pytest.mark.parametrize(
    ("system", "table", "ms"),
    some(
        [
            ("acrobat", None, 1.0),
            ("acrobat", None, None),
            ("floor", "T5_pytorch", 1.0),
            ("floor", "T5_pytorch", None),
            ("dynet", "T3_dynet", 1.0),
            ("dynet", "T3_dynet", None),
        ],
        always=lambda system, table, ms: (system, ms) in (("acrobat", None), ("dynet", 1.0)),
    ),
)
@pytest.mark.usefixtures("undrawn")
def test_one_system_alone(system: str, table: str | None, ms: float | None, tmp_path: Path) -> None:
    status = {} if ms else {"status": "timeout", "reason": "300 s"}
    save(tmp_path, *(on_gpu(system, ms, batch_size=b, **status) for b in (1, 2, 4)))
    written = write_report(tmp_path, tmp_path / "out", lambda _: None)
    # T2, T9, F3 with its table, and T1 of a system; F1, its own table beside acrobat, and that of
    # variants.
    many = (29 if table else 17) + 4 * (system != "floor")
    assert all(p.stat().st_size > 0 for p in written) and len(written) == many
    if table:
        text = (tmp_path / "out" / "tables" / f"{table}.cuda.csv").read_text()
        assert all("not measured" in line for line in text.splitlines()[1:])


@pytest.mark.usefixtures("undrawn")
def test_variants_alone(tmp_path: Path) -> None:
    """Of an ablation whose configuration leaves out "full", T2 and T7 have no line."""
    save(tmp_path / "raw", row("acrobat", 3.0, "executor=vm"), row("acrobat", 2.0, "fibers=off"))
    said: list[str] = []
    written = write_report(tmp_path / "raw", tmp_path, say=said.append)
    tables = sorted({path.stem for path in written if path.parent.name == "tables"})
    assert not {"T2_workloads", "T7_executors"} & set(tables)
    assert "T1_systems" in tables
