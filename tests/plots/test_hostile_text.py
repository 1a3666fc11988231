"""Names of systems, workloads, hosts and devices, and reasons, are text in every kind of file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.dom import minidom

import pandas as pd
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.textpath import TextPath

from plots import style
from plots.report import write_report
from tests.plots.plot_rows import HOST, row
from tests.plots.test_latex import compile_tables, needs_latex

NASTY = (
    "[x]*\"'<script>alert(1)</script>&amp;%_$\\frac$|\\input{x}^~~#{}é中†\x1b[2J\u202e\n\n"
    "# b*c*`d`[e](f)_g_ =1+1"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A report of such rows, and all texts of its figures."""
    folder = tmp_path_factory.mktemp("names")
    raw = folder / "raw"
    texts: list[str] = []
    more: dict[str, Any] = {
        "host": HOST | {"name": NASTY, "cpu": NASTY, "design": NASTY},
        "device_name": NASTY,
        **dict.fromkeys(("graph_ms", "kernel_ms", "schedule_ms", "copy_ms", "energy_j"), 0.5),
        "profiled_ms": 2.0,
        "input_ms": 0.1,
        "n_nodes": 7,
        "n_batches": 7,
        **dict.fromkeys(("n_kernel_calls", "n_syncs"), 7),
    }
    systems = (("acrobat", "full"), ("acrobat", NASTY), ("dynet", NASTY), ("floor", "full"))
    rows = [
        row(system, 2.0, variant, workload=workload, batch_size=batch, **more)
        for workload in ("treelstm", NASTY)
        for batch in (1, 2, 4)
        for system, variant in systems
    ]
    rows.append(row("cortex", None, status="error", reason=NASTY, **more))
    raw.mkdir()
    for n, made in enumerate(rows):
        (raw / f"{n}.json").write_text(json.dumps(made))

    def keep(figure: Figure, *arguments: object, **keywords: object) -> None:
        if str(arguments[0]).endswith(".svg"):  # Drawing is what takes time.
            save(figure, *arguments, **keywords)  # type: ignore[arg-type]
            texts.extend(text.get_text() for text in figure.findobj(Text))

    save = Figure.savefig
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", keep)
        write_report(raw, folder / "out", lambda _: None)
    return folder / "out", texts


def test_letters_in_legends() -> None:
    """A letter as a marker is a formula all the same: its outline has no dollars."""
    style.apply()
    outline = style.sign("$m$", "m")._marker.get_path()  # type: ignore[attr-defined]
    with rc_context({"text.parse_math": True}):
        assert len(outline.vertices) == len(TextPath((0, 0), "$m$").vertices)


@pytest.mark.slow
def test_figures(report: tuple[Path, list[str]]) -> None:
    """A dollar is a dollar, also where matplotlib would find a formula that it cannot read."""
    folder, texts = report
    assert any("$\\frac$" in text for text in texts)
    assert not any("mathdefault" in text or "\x1b" in text for text in texts)
    drawings = list((folder / "figures").glob("*.svg"))
    assert len(drawings) == 4
    for path in drawings:
        drawn = minidom.parse(str(path))
        assert not drawn.getElementsByTagName("script")


@pytest.mark.slow
def test_pages(report: tuple[Path, list[str]]) -> None:
    for path in (report[0] / "tables").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text and "&lt;script&gt;" in text and "&amp;amp;" in text


def test_markdown(report: tuple[Path, list[str]]) -> None:
    text = (report[0] / "tables" / "T4_cortex.md").read_text(encoding="utf-8")
    escaped = (
        "[x]\\*\"'\\<script>alert(1)\\</script>\\&amp;%\\_\\$\\\\frac\\$\\|\\\\input{x}^\\~\\~#{}é中†"
        "\\\\x1b[2J\\\\u202e # b\\*c\\*\\`d\\`[e]\\(f)\\_g_ =1+1"
    )
    assert f"\n1. {escaped}\n" in text
    assert text.startswith(
        "T4. ACRoBat against a Cortex-like compiler: median milliseconds of a mini-batch. "
        f"CPU: {escaped} ({escaped}, 256-bit vectors).\n"
    )
    wide = (report[0] / "tables" / "T3_dynet.md").read_text(encoding="utf-8")
    lines = [line for line in wide.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_csv(report: tuple[Path, list[str]]) -> None:
    found = pd.read_csv(report[0] / "tables" / "T3_dynet.csv")
    (name,) = set(found["workload"]) - {"treelstm"}
    written_out = NASTY.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    assert name == " ".join(written_out.split())


@needs_latex
def test_latex(report: tuple[Path, list[str]], tmp_path: Path) -> None:
    tables = sorted((report[0] / "tables").glob("T[34]*.tex"))
    log = compile_tables(tables, tmp_path)
    assert "Missing character" not in log
    assert "[U+4E2D]" in (report[0] / "tables" / "T3_dynet.tex").read_text(encoding="utf-8")
