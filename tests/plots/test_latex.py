"""LaTeX tables fit a column or a page of a paper of two columns."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from plots.latex import escape, latex
from plots.report import write_report
from plots.write import write_table
from tests.plots.plot_rows import row, save
from tests.selection import some
from workloads import NAMES

ROOT = Path(__file__).parents[2]
# The text of many conferences: two columns of 3.33 in, 0.34 in between, 9 in high.
PAPER = r"""
\documentclass[10pt,twocolumn,letterpaper]{article}
\setlength{\textwidth}{7in}\setlength{\columnsep}{0.34in}\setlength{\textheight}{9in}
\setlength{\oddsidemargin}{-0.25in}\setlength{\topmargin}{-0.5in}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""
_LONG = "it was killed by signal 9, as by lack of memory, while others of its kind went on & on"

needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not installed (texlive-latex-recommended)"
)


def compile_tables(tables: list[Path], folder: Path) -> str:
    """The log of pdflatex over a paper of all `tables`."""
    inputs = "\n".join(rf"\input{{{path}}}\clearpage" for path in tables)
    (folder / "paper.tex").write_text(PAPER % inputs, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "paper.log").read_text(errors="replace")


def assert_fits(log: str) -> None:
    problems = [x for x in log.splitlines() if x.startswith("Overfull") or "too large" in x]
    assert not problems


def _rows() -> list[dict[str, object]]:
    """A row of every system and variant, in as many cells as are measured for the paper."""
    variants = [f"autobatch{n}{lock}" for n in (1, 2, 3) for lock in ("", "-lockstep")]
    variants += [f"wheel-autobatch{n}" for n in (1, 2, 3)]
    rows = []
    for workload in NAMES:
        for size in ("small", "large"):
            for batch in (8, 64):
                for threads in (1, 2):
                    cell: dict[str, Any] = {
                        "workload": workload,
                        "model_size": size,
                        "batch_size": batch,
                        "threads": threads,
                        "doubt": "the 95% interval of the median is ±8% (8 samples)",
                    }
                    rows.append(row("acrobat", 12345.6, source_hash=f"{workload:0<16}", **cell))
                    rows += [row("dynet", 45678.9, v, **cell) for v in variants]
                    rows.append(row("cortex", 0.0123, "refactor", **cell))
                    no: dict[str, Any] = {"status": "oom", "reason": f"{workload}: {_LONG}"}
                    rows.append(row("cortex", None, "unroll", **(cell | no)))
                    rows += [row(f"torch_{s}", 12345.6, **cell) for s in ("eager", "batched")]
                    rows += [row("torch_compile", 123.4, v, **cell) for v in ("frozen", "unfrozen")]
                    rows.append(row("floor", 123.4, **cell))
    return rows


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take longer than all tables."""
    modules = {"speedup": "speedup", "ablation": "ablation", "breakdown": "breakdown"}
    modules |= {"batch": "batches", "energy": "energy", "divergence": "divergence"}
    for name, module in modules.items():
        monkeypatch.setattr(f"plots.{module}.{name}_figures", lambda *rows: [])


@needs_latex
def test_all_tables_fit(tmp_path: Path) -> None:
    save(tmp_path / "raw", *_rows())
    written = write_report(tmp_path / "raw", tmp_path / "out", lambda _: None)
    tables = [path for path in written if path.suffix == ".tex"]
    assert len(tables) == 9
    for path in tables:
        text = path.read_text()
        assert text.startswith("% \\usepackage{booktabs}\n")
        assert f"\\label{{tab:{path.stem}}}" in text and "\\caption{" in text
    assert_fits(compile_tables(tables, tmp_path))


@needs_latex
@pytest.mark.parametrize(
    "rows",
    some(
        sorted((ROOT / "results" / "reference").iterdir()),
        always=lambda rows: rows.name == "epyc-zen5-2core",
    ),
    ids=lambda rows: rows.name,
)
def test_committed_tables_fit(rows: Path, tmp_path: Path) -> None:
    written = write_report(rows, tmp_path / "out", lambda _: None)
    assert_fits(compile_tables([p for p in written if p.suffix == ".tex"], tmp_path))


@needs_latex
def test_a_table_that_is_too_wide_and_too_long(tmp_path: Path) -> None:
    table = pd.DataFrame({"workload": [f"w{n // 70}" for n in range(140)], "batch": range(140)})
    for n in range(15):
        table[f"column number {n}"] = "12345678"
    write_table(table, tmp_path / "T", "A caption.", [_LONG * 9] * 30)
    assert_fits(compile_tables([tmp_path / "T.tex"], tmp_path))
    text = (tmp_path / "T.tex").read_text()
    parts = text.count("A caption. Part")
    assert parts > 3 and text.count("\\begin{table*}") > parts
    assert text.count("{column \\\\ number \\\\ 14}") == parts


def test_a_narrow_table_is_as_wide_as_a_column() -> None:
    table = pd.DataFrame({"workload": ["birnn", "birnn", "drnn"], "acrobat ms": ["~1.5", "2", "9"]})
    assert latex(table, "One & two.", ["why"], ["A remark: ±5%."], "T9") == (
        "% \\usepackage{booktabs}\n"
        "\\begin{table}[tp]\n\\centering\n\\caption{One \\& two.}\n\\label{tab:T9}\n"
        "\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n"
        "\\begin{tabular}{@{}lr@{}}\n\\toprule\n"
        "workload & \\shortstack[r]{acrobat \\\\ ms} \\\\\n"
        "\\midrule\nbirnn & $\\sim$1.5 \\\\\n & 2 \\\\\n\\midrule\ndrnn & 9 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
        "\\par\\smallskip\n\\begin{minipage}{\\linewidth}\n\\scriptsize\\raggedright\n"
        "A remark: $\\pm$5\\%.\\par\n[1] why\\par\n\\end{minipage}\n\\end{table}\n"
    )


def test_what_latex_must_not_read() -> None:
    assert escape("a_b {50%} \\x #1 $") == ("a\\_b \\{50\\%\\} \\textbackslash{}x \\#1 \\$")
