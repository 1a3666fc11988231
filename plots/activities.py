"""Table T6, where the time goes: building the graph, scheduling, copies, kernels.

Every system times its own activities within a run, and a row stores those of one run, the median of
several (`harness.row`). The table shows their shares of that run, applied to the row's median.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

import baselines

from .cells import Part, Time, Value, by_cell, cell_columns, digits, time, variant
from .content import Content, Table
from .rows import best_variants
from .shown import Shown

# Of the systems that distinguish activities, those that build a graph for each mini-batch.
SYSTEMS = tuple(name for name, record in baselines.records().items() if record.builds_graphs)
ACTIVITIES = {
    "graph_ms": "graph",
    "schedule_ms": "scheduling",
    "copy_ms": "copies",
    "kernel_ms": "kernels",
}
# In place of the last three, for a system that does not distinguish them.
TOGETHER = "scheduling, copies and kernels"
OTHER = "other"
# Relative distance of a run's time from the median beyond which its shares are not representative.
_FAR = 0.25


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T6, if some row has activities."""
    if not activity_cells(rows):
        return Content()
    table = activity_table(rows)
    return Content([Table(table, unusual(table), headline(table))])


@dataclass(frozen=True, slots=True)
class Activities:
    """The activities of one run in a row: `shares` of its time by activity, which sum to 1 with
    "other"; `run_ms`, that run's time; `input_ms`, the conversion of the instances before it."""

    row: pd.Series
    shares: dict[str, float]
    run_ms: float
    input_ms: float | None

    @property
    def milliseconds(self) -> dict[str, float]:
        """The shares, applied to the median."""
        return {name: share * self.row["median_ms"] for name, share in self.shares.items()}

    @property
    def far(self) -> bool:
        """Whether the run was unusual: its time is far from the median."""
        return _far(self.row["median_ms"], self.run_ms)


def activities(row: pd.Series) -> Activities | None:
    """The activities of a row; None if it has no time or no activities."""
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
    """The time of the run whose activities the row stores, which is at least `least`."""
    known = row.get("profiled_ms")
    if known is not None and pd.notna(known):
        return max(float(known), least)
    # Older rows have the activities of the last run: the last sample, unless further runs measured
    # the energy.
    last = row["samples_ms"][-1] if pd.isna(row["energy_j"]) else row["median_ms"]
    return max(float(last), least)


def activity_cells(rows: pd.DataFrame) -> dict[tuple[object, ...], dict[str, pd.Series]]:
    """The best rows of the cells in which the activities of at least one system are known."""
    shown = rows[rows["system"].isin(SYSTEMS)]
    best = by_cell(best_variants(shown)) if len(shown) else {}
    return {
        cell: systems
        for cell, systems in best.items()
        if any(activities(row) is not None for row in systems.values())
    }


def activity_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per cell and system with known activities: the median, the milliseconds and share of
    each activity, and the conversion of the instances, which precedes the run."""
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
    """The columns that fit on a page: without the variants, which T3 and T4 name, and without the
    times of the runs from which the shares come."""
    return [column for column in table.columns if column not in ("variant", "run ms")]


def unusual(table: pd.DataFrame) -> list[str]:
    """A remark on how many lines show the shares of an unusual run; empty if none do."""
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
