"""How figures show uncertainty: intervals, and marks for unstable rows."""

from __future__ import annotations

import pandas as pd

from harness.intervals import Interval

from .cells import doubt


def unstable(row: pd.Series) -> bool:
    """Whether a row's time may be unstable."""
    return bool(doubt(row))


def whisker(interval: Interval) -> list[list[float]] | None:
    """The interval in the form that `errorbar` expects; None if it is unknown."""
    if not interval.known:
        return None
    return [[interval.value - interval.low], [interval.high - interval.value]]


def ends(interval: Interval) -> tuple[float, float]:
    """The ends of an interval's whisker; the estimate twice if it is unknown."""
    known = interval.known
    return (interval.low, interval.high) if known else (interval.value, interval.value)


def status_of(row: pd.Series) -> str:
    """Why an invalid row has no valid time: its status, or "wrong"."""
    return "wrong" if row["status"] == "ok" else str(row["status"])
