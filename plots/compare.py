"""Comparison of two sets of rows, before and after a change: what became faster or slower, beyond
noise.

The rows of a point come from two runs, between which the machine may have changed: the floor of a
cell (library products, which our changes do not affect) shows how much of a difference is due to
the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from harness.intervals import Interval

from .cells import Marked, Ratio, Value, cell_columns, interval, time
from .legend import legend
from .markdown import markdown
from .rows import CELL, limits, load_rows, valid
from .write import footnotes

# The columns that identify the cell of a row.
_WHERE = ["mode", "optimiser", "device", *CELL]
_POINT = [*_WHERE, "system", "variant"]


@dataclass(frozen=True, slots=True)
class Change:
    """A point in both sets: `ratio` is the time after over the time before, None if either is
    missing; `floor` is that ratio for the cell's floor. `lost`: the result was right before and is
    not any more."""

    before: pd.Series
    after: pd.Series
    ratio: Interval | None
    floor: Interval | None

    @property
    def lost(self) -> bool:
        return bool(self.before["valid"]) and not self.after["valid"]

    @property
    def effect(self) -> str:
        """ "faster" or "slower" if the whole interval is on that side, else "no difference";
        without an interval "lost" or "-"."""
        if self.lost:
            return "lost"
        if self.ratio is None:
            return "-"
        if self.ratio.holds(1.0):
            return "no difference"
        return "faster" if self.ratio.value < 1 else "slower"

    def slower_than(self, share: float) -> bool:
        """Whether the point is lost, or slower by more than `share` with its whole interval."""
        return self.lost or (
            self.ratio is not None and self.ratio.known and self.ratio.low > 1 + share
        )


def changes(before: Path, after: Path, system: str = "acrobat") -> list[Change]:
    """The points of a system that are in both folders, in order. ValueError if there are none."""
    first, second = (_by_point(load_rows(folder)) for folder in (before, after))
    found = []
    for point, old in first.items():
        new = second.get(point)
        if new is None or old["system"] != system:
            continue
        floors = [_floor(rows, point) for rows in (second, first)]
        found.append(Change(old, new, interval(new, old), interval(*floors)))
    if not found:
        raise ValueError(f"{before} and {after} have no point of {system} in common")
    return found


def _by_point(rows: pd.DataFrame) -> dict[tuple[object, ...], pd.Series]:
    rows = rows.assign(valid=valid(rows))
    return {tuple(row[c] for c in _POINT): row for _, row in rows.iterrows()}


def _floor(
    rows: dict[tuple[object, ...], pd.Series], point: tuple[object, ...]
) -> pd.Series | None:
    cell = point[: len(_WHERE)]
    return next((rows[(*cell, s, "full")] for s in limits() if (*cell, s, "full") in rows), None)


def changes_table(found: Sequence[Change]) -> pd.DataFrame:
    """A line per point."""
    lines = []
    for change in found:
        row = change.before
        line = cell_columns(tuple(row[c] for c in CELL)) | {"variant": row["variant"]}
        line |= {"before ms": time(row), "after ms": time(change.after)}
        line["after / before"] = _ratio(change.ratio)
        line["of the floor"] = _ratio(change.floor)
        line["effect"] = _effect(change)
        lines.append(line)
    return pd.DataFrame(lines)


def _ratio(found: Interval | None) -> Value:
    return "-" if found is None else Ratio(found)


def _effect(change: Change) -> Value:
    reason = change.after["reason"] or "its outputs are wrong"
    return Marked("lost", reason) if change.lost else change.effect


def compare_text(found: Sequence[Change], fail_above: float | None = None) -> str:
    """The table as Markdown, the meaning of its marks, and totals: how many points became faster or
    slower, and how many are slower by more than `fail_above`."""
    table = changes_table(found)
    short, notes = footnotes(table)
    machines = {row["machine"] for change in found for row in (change.before, change.after)}
    remarks = [*legend(table)]
    if len(machines) > 1:
        remarks.append(
            f"Measured on {len(machines)} machines ({'; '.join(sorted(machines))}): the ratio of "
            f"the floor says how these differ."
        )
    effects = [change.effect for change in found]
    kinds = ("faster", "slower", "no difference", "lost")
    counted = ", ".join(f"{effects.count(kind)} {kind}" for kind in kinds if kind in effects)
    remarks.append(f"{len(found)} point{'s' * (len(found) != 1)}: {counted or 'no times'}.")
    if fail_above is not None:
        bad = sum(change.slower_than(fail_above) for change in found)
        remarks.append(f"Slower by more than {fail_above:.3g} of the time before, or lost: {bad}.")
    return markdown(short, "", notes, remarks)
