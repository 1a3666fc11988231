"""Tables and figures as files. Names may have dots: T3_dynet.cuda."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from .cells import Marked
from .html import table_page

_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


def write_table(
    table: pd.DataFrame, stem: Path, caption: str = "", remarks: Sequence[str] = ()
) -> list[Path]:
    """`table` as CSV, Markdown, LaTeX and HTML beside each other. All but CSV have the caption, the
    remarks, and the reasons of cells as numbered notes below; CSV has a reason in its cell."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [_with(stem, s) for s in (".csv", ".md", ".tex", ".html")]
    table.to_csv(paths[0], index=False)
    short, notes = footnotes(table)
    paths[1].write_text(_markdown(short, caption, notes, remarks))
    paths[2].write_text(_latex(short, caption, notes, remarks))
    paths[3].write_text(table_page(short, caption, notes, remarks))
    return paths


def footnotes(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The table with marks such as "timeout [1]" in place of reasons, and the reasons, each once,
    in the order of their first marks."""
    numbers: dict[str, int] = {}

    def mark(value: object) -> object:
        if not isinstance(value, Marked):
            return value
        return f"{value.short} [{numbers.setdefault(value.reason, len(numbers) + 1)}]"

    # Row by row, as people read.
    lines = [[mark(v) for v in line] for line in table.itertuples(index=False)]
    return pd.DataFrame(lines, columns=table.columns), list(numbers)


def write_figure(figure: Figure, stem: Path) -> list[Path]:
    """`figure` as PDF, SVG and PNG beside each other, without the date: the same rows give the same
    files."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    undated = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
    paths = []
    for suffix, metadata in undated.items():
        paths.append(_with(stem, suffix))
        figure.savefig(paths[-1], dpi=200, metadata=metadata)
    return paths


def _with(stem: Path, suffix: str) -> Path:
    return stem.with_name(stem.name + suffix)


def _markdown(
    table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str]
) -> str:
    blocks = [caption] if caption else []
    # Numbers as they are in the other files, and to the right.
    text = table.astype(str)
    right = [text[c].str.match(r"\d").any() for c in text.columns]
    sides = ["right" if r else "left" for r in right]
    aligned = text.to_markdown(index=False, disable_numparse=True, colalign=sides)
    blocks += [aligned, *remarks]
    # A list of its own, numbered like the marks; one line per reason.
    blocks += ["\n".join(f"{n}. {' '.join(note.split())}" for n, note in enumerate(notes, 1))]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _latex(table: pd.DataFrame, caption: str, notes: Sequence[str], remarks: Sequence[str]) -> str:
    text = table.to_latex(index=False, escape=True, caption=caption.translate(_LATEX) or None)
    below = [f"[{n}] {' '.join(note.split())}" for n, note in enumerate(notes, 1)]
    lines = [rf"\par\footnotesize {line.translate(_LATEX)}" for line in [*remarks, *below]]
    if not lines:
        return text
    # Below the rows, within the table if it is one.
    end = "\\end{tabular}\n"
    rows, rest = text.split(end)
    return rows + end + "\n".join(lines) + "\n" + rest
