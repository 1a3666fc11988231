"""What stands in one cell of a table, and the rows of one measured cell by system."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .rows import CELL, valid


@dataclass(frozen=True, slots=True)
class Marked:
    """A cell with a reason: CSV has it in place, Markdown and LaTeX as a numbered note."""

    short: str
    reason: str

    def __str__(self) -> str:
        return self.short.removesuffix(")") + f": {self.reason}" + ")" * self.short.endswith(")")


Value = str | Marked


def by_cell(rows: pd.DataFrame) -> dict[tuple[object, ...], dict[str, pd.Series]]:
    """Per measured cell the row of each system."""
    rows = rows.assign(valid=valid(rows))
    found: dict[tuple[object, ...], dict[str, pd.Series]] = {}
    for _, row in rows.iterrows():
        found.setdefault(tuple(row[c] for c in CELL), {})[row["system"]] = row
    return found


def cell_columns(cell: tuple[object, ...]) -> dict[str, object]:
    """The first columns of every table."""
    return dict(zip(("workload", "size", "batch", "threads"), cell, strict=True))


def digits(number: float) -> str:
    """Three digits, or all before the point."""
    return f"{number:.3g}" if number < 999.5 else f"{number:.0f}"


def time(row: pd.Series | None) -> Value:
    """Milliseconds, or why there are none."""
    return value(row, "median_ms")


def value(row: pd.Series | None, column: str) -> Value:
    """A column's number, or why there is none."""
    if row is None:
        return "not measured"
    if row["status"] != "ok":
        return Marked(row["status"], row["reason"])
    if pd.isna(row[column]):
        return "-"
    text = digits(row[column])
    return text if row["valid"] else Marked(f"{text} (wrong)", row["reason"])


def ratio(over: pd.Series | None, under: pd.Series | None) -> str:
    """The quotient of two medians, "-" if one of them is missing or wrong."""
    if over is None or under is None or not over["valid"] or not under["valid"]:
        return "-"
    return f"{over['median_ms'] / under['median_ms']:.2f}"


def error(row: pd.Series | None) -> str:
    """The largest difference from the reference."""
    return "-" if row is None or pd.isna(row["max_abs_err"]) else f"{row['max_abs_err']:.1e}"


def variant(row: pd.Series | None) -> str:
    """The variant of a row that has a time."""
    return row["variant"] if row is not None and row["valid"] else ""
