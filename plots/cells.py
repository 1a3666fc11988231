"""The contents of a table cell, and the rows of one measured cell by system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.intervals import Interval, Timing, ratio_interval

from .rows import CELL, valid


@dataclass(frozen=True, slots=True)
class Marked:
    """A cell with a reason, which CSV shows in place, Markdown and LaTeX as a numbered note."""

    short: str
    reason: str

    def __str__(self) -> str:
        return self.short.removesuffix(")") + f": {self.reason}" + ")" * self.short.endswith(")")


@dataclass(frozen=True, slots=True)
class Time:
    """A median or a number derived from it; `doubt` says why it may be unstable, "" if it is
    stable. CSV shows only the number."""

    number: float
    doubt: str

    def __str__(self) -> str:
        return ("~" if self.doubt else "") + digits(self.number)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient with its interval: "1.83 [1.75, 1.92]", or "= 1.02 [0.97, 1.07]" if the interval
    includes 1. CSV has three columns of numbers."""

    interval: Interval

    def __str__(self) -> str:
        return ratio_text(self.interval)

    @property
    def no_difference(self) -> bool:
        return self.interval.known and self.interval.holds(1.0)


@dataclass(frozen=True, slots=True)
class Part:
    """Milliseconds of an activity, to two digits, and its share of the whole: "0.11 (1%)". CSV has
    two columns of numbers."""

    ms: float
    share: float

    def __str__(self) -> str:
        shown = f"{self.ms:.2g}" if self.ms < 99.5 else f"{self.ms:.0f}"
        return f"{shown if self.ms >= 1e-3 or not self.ms else '<0.001'} ({self.share:.0%})"


Value = str | Marked | Time | Ratio | Part


def by_cell(rows: pd.DataFrame) -> dict[tuple[object, ...], dict[str, pd.Series]]:
    """The row of each system, for each measured cell."""
    rows = rows.assign(valid=valid(rows))
    found: dict[tuple[object, ...], dict[str, pd.Series]] = {}
    for _, row in rows.iterrows():
        found.setdefault(tuple(row[c] for c in CELL), {})[row["system"]] = row
    return found


def cell_columns(cell: tuple[object, ...]) -> dict[str, object]:
    """The first columns of every table."""
    return dict(zip(("workload", "size", "batch", "threads"), cell, strict=True))


def digits(number: float) -> str:
    """Three significant digits, or all digits before the point."""
    return f"{number:.3g}" if number < 999.5 else f"{number:.0f}"


def ratio_text(interval: Interval) -> str:
    """A quotient with its interval, all three with the same number of decimals; "[?]" if the
    interval is unknown."""
    places = next((p for limit, p in ((9.995, 2), (99.95, 1)) if interval.value < limit), 0)
    value, low, high = (f"{n:.{places}f}" for n in (interval.value, interval.low, interval.high))
    if not interval.known:
        return f"{value} [?]"
    return ("= " if interval.holds(1.0) else "") + f"{value} [{low}, {high}]"


def time(row: pd.Series | None) -> Value:
    """The milliseconds of a row, or why there are none."""
    return value(row, "median_ms")


def value(row: pd.Series | None, column: str) -> Value:
    """The number in a column of a row, or why there is none."""
    if row is None:
        return "not measured"
    if row["status"] != "ok":
        return Marked(row["status"], row["reason"])
    if pd.isna(row[column]):
        return "-"
    if not row["valid"]:
        return Marked(f"{digits(row[column])} (wrong)", row["reason"])
    # Energy, for example, does not come from the samples.
    timed = column in ("median_ms", "throughput_inst_s")
    return Time(row[column], doubt(row) if timed else "")


def doubt(row: pd.Series) -> str:
    """Why a row's median may be unstable; "" if it is stable or if that is unknown."""
    text = row["doubt"]
    return text if isinstance(text, str) else ""


def interval(over: pd.Series | None, under: pd.Series | None) -> Interval | None:
    """The quotient of two medians; None if one of them is missing or wrong."""
    if over is None or under is None or not over["valid"] or not under["valid"]:
        return None
    if not over["samples_ms"] or not under["samples_ms"]:
        return Interval(over["median_ms"] / under["median_ms"], np.nan, np.nan)
    return ratio_interval(Timing.of(over), Timing.of(under))


def ratio(over: pd.Series | None, under: pd.Series | None) -> Value:
    """The quotient of two medians, "-" if one of them is missing or wrong."""
    found = interval(over, under)
    return "-" if found is None else Ratio(found)


def error(row: pd.Series | None) -> str:
    """The largest difference from the reference."""
    return "-" if row is None or pd.isna(row["max_abs_err"]) else f"{row['max_abs_err']:.1e}"


def variant(row: pd.Series | None) -> str:
    """The variant of a row that has a time."""
    return row["variant"] if row is not None and row["valid"] else ""
