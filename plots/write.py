"""Tables and figures as files. Their names may contain dots: T3_dynet.cuda."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from .cells import Marked, Part, Ratio, Time
from .html import html_part, table_page
from .latex import latex
from .legend import legend
from .markdown import markdown


def write_table(
    table: pd.DataFrame,
    stem: Path,
    caption: str = "",
    remarks: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> list[Path]:
    """Write `table` as CSV, Markdown, LaTeX and HTML, side by side. All but CSV have the caption,
    the remarks, the meaning of marks, the reasons of cells as numbered notes below, and, if given,
    only the columns `columns`. CSV has a reason in its cell, and a ratio in three columns: value,
    low, high."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [_with(stem, s) for s in (".csv", ".md", ".tex", ".html")]
    numbers(table).to_csv(paths[0], index=False)
    shown = table if columns is None else table[list(columns)]
    below = [*remarks, *legend(shown)]
    short, notes = footnotes(shown)
    paths[1].write_text(markdown(short, caption, notes, below), encoding="utf-8")
    paths[2].write_text(latex(short, caption, notes, below, stem.name), encoding="utf-8")
    paths[3].write_text(table_page(short, caption, notes, below), encoding="utf-8")
    return paths


def table_part(
    table: pd.DataFrame, remarks: Sequence[str] = (), columns: Sequence[str] | None = None
) -> str:
    """The table with remarks and notes, as part of an HTML page."""
    shown = table if columns is None else table[list(columns)]
    short, notes = footnotes(shown)
    return html_part(short, notes, [*remarks, *legend(shown)])


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table for programs: times as numbers, ratios as three columns of numbers, parts of a time
    as two columns, missing ones empty."""
    columns: dict[str, list[object]] = {}
    for name in table.columns:
        values = list(table[name])
        if any(isinstance(v, Ratio) for v in values):
            found = [v.interval if isinstance(v, Ratio) else None for v in values]
            columns[name] = [f"{i.value:.4g}" if i else None for i in found]
            for end in ("low", "high"):
                known = [getattr(i, end) if i and i.known else None for i in found]
                columns[f"{name} {end}"] = [None if n is None else f"{n:.4g}" for n in known]
        elif any(isinstance(v, Part) for v in values):
            parts = [v if isinstance(v, Part) else None for v in values]
            columns[f"{name} ms"] = [f"{p.ms:.6g}" if p else None for p in parts]
            columns[f"{name} share"] = [f"{p.share:.4g}" if p else None for p in parts]
        else:
            columns[name] = [f"{v.number:.6g}" if isinstance(v, Time) else v for v in values]
    return pd.DataFrame(columns)


def footnotes(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The table with marks such as "timeout [1]" instead of reasons, and the distinct reasons in
    the order of their first marks."""
    found: dict[str, int] = {}

    def mark(value: object) -> object:
        if not isinstance(value, Marked):
            return value
        return f"{value.short} [{found.setdefault(value.reason, len(found) + 1)}]"

    # Row by row, in reading order.
    lines = [[mark(v) for v in line] for line in table.itertuples(index=False)]
    return pd.DataFrame(lines, columns=table.columns), list(found)


def write_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write `figure` as PDF, SVG and PNG, side by side and without the date: the same rows give the
    same files."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    undated = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
    paths = []
    for suffix, metadata in undated.items():
        paths.append(_with(stem, suffix))
        figure.savefig(paths[-1], dpi=200, metadata=metadata)
    return paths


def _with(stem: Path, suffix: str) -> Path:
    return stem.with_name(stem.name + suffix)
