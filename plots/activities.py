"""Table T6, where the time goes: building the graph, scheduling, copies, kernels.

Every system times its own activities within a run, and the row has those of one run, that in the
middle of several (`harness.row`). Their shares of that run, applied to the row's median, are what
is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .cells import Part, Value, by_cell, cell_columns, digits, time, variant
from .rows import best_variants

# Of the systems that tell activities apart, those that build a graph for a mini-batch as it comes.
SYSTEMS = ("acrobat", "dynet", "cortex")
ACTIVITIES = {
    "graph_ms": "graph",
    "schedule_ms": "scheduling",
    "copy_ms": "copies",
    "kernel_ms": "kernels",
}
# In place of the last three, for a system that does not tell them apart.
TOGETHER = "scheduling, copies and kernels"
OTHER = "other"
# How far a run's time may be from the median before its shares say little of it.
_FAR = 0.25


@dataclass(frozen=True, slots=True)
class Activities:
    """What a row knows of one run: shares of its time by activity, which sum to 1 with "other";
    `run_ms` is that run's time, `input_ms` the conversion of the instances, before it."""

    row: pd.Series
    shares: dict[str, float]
    run_ms: float
    input_ms: float | None

    @property
    def milliseconds(self) -> dict[str, float]:
        """The shares of the median."""
        return {name: share * self.row["median_ms"] for name, share in self.shares.items()}

    @property
    def far(self) -> bool:
        """Whether the run was no usual one: its time is far from the median."""
        return abs(self.run_ms / self.row["median_ms"] - 1) > _FAR


def activities(row: pd.Series) -> Activities | None:
    """Those of a row; None if it has no time, or does not know any."""
    if not row["valid"] or any(c not in row or pd.isna(row[c]) for c in ("graph_ms", "kernel_ms")):
        return None
    told = {name: float(row[c]) for c, name in ACTIVITIES.items() if pd.notna(row[c])}
    if len(told) < len(ACTIVITIES):
        told[TOGETHER] = told.pop("kernels")
    run = _run(row, sum(told.values()))
    shares = {name: ms / run for name, ms in told.items()}
    shares[OTHER] = max(0.0, 1 - sum(shares.values()))
    before = row.get("input_ms")
    return Activities(row, shares, run, None if pd.isna(before) else float(before))


def _run(row: pd.Series, least: float) -> float:
    """The time of the run whose activities the row has, which took `least` and more."""
    known = row.get("profiled_ms")
    if known is not None and pd.notna(known):
        return max(float(known), least)
    # Earlier rows have the activities of their last run: the last sample, if none came after it to
    # measure energy.
    last = row["samples_ms"][-1] if pd.isna(row["energy_j"]) else row["median_ms"]
    return max(float(last), least)


def activity_cells(rows: pd.DataFrame) -> dict[tuple[object, ...], dict[str, pd.Series]]:
    """The best rows of the cells in which some system's activities are known."""
    shown = rows[rows["system"].isin(SYSTEMS)]
    best = by_cell(best_variants(shown)) if len(shown) else {}
    return {
        cell: systems
        for cell, systems in best.items()
        if any(activities(row) is not None for row in systems.values())
    }


def activity_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per cell and system: the median, milliseconds and share of each activity, and the
    conversion of the instances, which comes before the run."""
    lines = []
    for cell, systems in activity_cells(rows).items():
        for system in filter(systems.__contains__, SYSTEMS):
            row = systems[system]
            line = cell_columns(cell) | {"system": system, "variant": variant(row)}
            line["ms"] = time(row)
            found = activities(row)
            for name in (*ACTIVITIES.values(), OTHER):
                line[name] = _cell(found, name)
            before = found.input_ms if found else None
            line["input"] = digits(before) if before is not None else "-"
            lines.append(line)
    return pd.DataFrame(lines)


def _cell(found: Activities | None, name: str) -> Value:
    if found is None:
        return "-"
    if name not in found.shares:
        if TOGETHER not in found.shares:
            return "-"
        if name != "kernels":
            return "in kernels"
        name = TOGETHER
    return Part(found.milliseconds[name], found.shares[name])
