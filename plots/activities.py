"""Table T6, where the time goes: building the graph, scheduling, copies, kernels.

Every system times its own activities within a run, and the row has those of one run, that in the
middle of several (`harness.row`). Their shares of that run, applied to the row's median, are what
is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

import baselines

from .cells import Part, Time, Value, by_cell, cell_columns, digits, time, variant
from .content import Content, Table
from .rows import best_variants
from .shown import Shown

# Of the systems that tell activities apart, those that build a graph for a mini-batch as it comes.
SYSTEMS = tuple(name for name, record in baselines.records().items() if record.builds_graphs)
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


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T6, if some row has activities."""
    if not activity_cells(rows):
        return Content()
    table = activity_table(rows)
    return Content([Table(table, unusual(table), headline(table))])


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
        return _far(self.row["median_ms"], self.run_ms)


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
    """A line per cell and system that knows its activities: the median, milliseconds and share of
    each, and the conversion of the instances, which comes before the run."""
    lines = []
    for cell, systems in activity_cells(rows).items():
        for system in filter(systems.__contains__, SYSTEMS):
            found = activities(systems[system])
            if found is None:
                continue
            line = cell_columns(cell) | {"system": system, "variant": variant(found.row)}
            line["ms"] = time(found.row)
            line |= {name: _cell(found, name) for name in (*ACTIVITIES.values(), OTHER)}
            line["input"] = "-" if found.input_ms is None else digits(found.input_ms)
            line["run ms"] = Time(found.run_ms, "")
            lines.append(line)
    return pd.DataFrame(lines)


def headline(table: pd.DataFrame) -> list[str]:
    """The columns that fit on a page: not the variants, which T3 and T4 name, nor the times of the
    runs that the shares are of."""
    return [column for column in table.columns if column not in ("variant", "run ms")]


def unusual(table: pd.DataFrame) -> list[str]:
    """How many lines have the shares of a run that was no usual one, if any have."""
    times = [(m.number, r.number) for m, r in zip(table["ms"], table["run ms"], strict=True)]
    count = sum(_far(median, run) for median, run in times)
    if not count:
        return []
    return [
        f"Shares of {count} of {len(times)} lines are of a run whose time is over {_FAR:.0%} away "
        f"from the median."
    ]


def _far(median: float, run: float) -> bool:
    return abs(run / median - 1) > _FAR


def _cell(found: Activities, name: str) -> Value:
    if name not in found.shares:
        if name != "kernels":
            return "in kernels"
        name = TOGETHER
    return Part(found.milliseconds[name], found.shares[name])
