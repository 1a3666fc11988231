"""What a paper needs of figures: embedded TrueType fonts, print size, a float that LaTeX reads."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from plots.report import write_report
from tests.plots.plot_rows import on_gpu, row, save, spread

Parts = dict[str, Any]
_PARTS: Parts = {
    "input_ms": 0.1,
    "graph_ms": 0.1,
    "schedule_ms": 0.1,
    "copy_ms": 0.1,
    "kernel_ms": 0.5,
}
_CODES = ("F1_speedup", "F2_ablation", "F3_batches", "F4_activities", "F6_energy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All figures of a CPU and of a GPU."""
    root = tmp_path_factory.mktemp("figures")
    for make in (row, on_gpu):
        for batch in (1, 8, 64):
            for system, ms in (("acrobat", 1.0), ("dynet", 4.0), ("floor", 0.99)):
                more: Parts = {
                    "batch_size": batch,
                    "energy_j": 1.0,
                    "profiled_ms": ms,
                    **_PARTS,
                }
                save(root / "raw", spread(make(system, ms, **more), 0.1))
        save(root / "raw", make("acrobat", 9.0, "off", **_PARTS))
        save(root / "raw", make("acrobat", 3.0, "off+hoisting", doubt="unsure", **_PARTS))
    write_report(root / "raw", root, lambda _: None)
    return root / "figures"


def _names() -> list[str]:
    return [f"{code}{device}" for code in _CODES for device in ("", ".cuda")]


@pytest.mark.slow
def test_they_are_all_there(folder: Path) -> None:
    files = {f"{name}{s}" for name in _names() for s in (".pdf", ".svg", ".png", ".tex")}
    assert {p.name for p in folder.iterdir()} == files


@pytest.mark.slow
@pytest.mark.parametrize("name", _names())
def test_fonts_are_truetype_and_the_size_is_that_of_print(folder: Path, name: str) -> None:
    data = (folder / f"{name}.pdf").read_bytes()
    for part in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.S):
        with contextlib.suppress(zlib.error):  # not compressed
            data += zlib.decompress(part)
    assert b"/Type3" not in data and b"/CIDFontType2" in data
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", data)
    assert box
    width, height = float(box[1]) / 72, float(box[2]) / 72
    assert round(width, 2) in (3.33, 7.0) and height <= 9.0
    # As paths: what a browser's own font would make of them is not known.
    assert "<text" not in (folder / f"{name}.svg").read_text()


@pytest.mark.slow
def test_latex_reads_them(folder: Path, tmp_path: Path) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    inputs = "\n".join(rf"\input{{{folder}/{name}.tex}}\clearpage" for name in _names())
    (tmp_path / "paper.tex").write_text(
        "\\documentclass[twocolumn]{article}\n"
        "\\usepackage[textwidth=7in,columnsep=0.34in,textheight=9.4in]{geometry}\n"
        "\\usepackage{graphicx}\n"
        f"\\graphicspath{{{{{folder}/}}}}\n\\begin{{document}}\n{inputs}\n\\end{{document}}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout and "undefined" not in done.stdout
