"""Figure F4: where the time goes, as stacked bars, one per system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

import baselines

from . import style
from .activities import OTHER, SYSTEMS, TOGETHER, activities, activity_cells
from .cells import digits
from .content import Content
from .devices import device_title
from .panels import Panel, pages, panels_of
from .rows import best_variants, usual_batches, valid
from .shown import Shown
from .spread import status_of, unstable

# In the order of a run.
_LOOKS: dict[str, dict[str, Any]] = {
    "graph": {"facecolor": "#F0E442"},
    "scheduling": {"facecolor": "#D55E00"},
    "copies": {"facecolor": "#009E73", "hatch": "......"},
    "kernels": {"facecolor": "#56B4E9"},
    TOGETHER: {"facecolor": "#56B4E9", "hatch": "//////"},
    OTHER: {"facecolor": "#444444"},
}
_INPUT: dict[str, Any] = {"facecolor": "white"}
# Heights in inches: of a bar, around a row of panels, above all panels, and below them.
_LINE, _AROUND, _HEAD, _FOOT = 0.105, 0.25, 0.5, 0.3
# The width of a panel: bars end at 1, the rest is for the milliseconds.
_WIDTH = 1.5


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """F4, if some row has activities."""
    return Content(figures=breakdown_figures(rows)) if activity_cells(rows) else Content()


def breakdown_figures(rows: pd.DataFrame) -> list[Figure]:
    """Stacked bars of one device's rows, with a panel per size, thread count and batch size. A
    bar's length is the median (plus, hollow, the preceding conversion of the input) relative to the
    slowest system of its cell; its parts are activities; the milliseconds are beside it."""
    style.apply()
    chosen = usual_batches(rows[rows["system"].isin(SYSTEMS)])
    best = best_variants(chosen)
    best = best.assign(valid=valid(best))
    cells = activity_cells(chosen)
    # Cells in which several systems' activities are known, or, if there are none, all cells.
    both = {cell for cell, found in cells.items() if sum(map(_known, found.values())) > 1}
    kept = both or set(cells)
    keys = zip(*(best[c] for c in ("workload", "model_size", "batch_size", "threads")), strict=True)
    best = best[[key in kept for key in keys]]
    panels = panels_of(best)
    lines = _lines(best)
    columns = min(4, len(panels)) if len(panels) != 1 else 1
    height = _AROUND + _LINE * len(lines)
    room = columns * max(1, int((style.TALLEST - _HEAD - _FOOT) / height))
    return [_page(rows, page, lines, columns, height) for page in pages(panels, room)]


def _known(row: pd.Series) -> bool:
    return activities(row) is not None


def _lines(best: pd.DataFrame) -> list[tuple[str, str]]:
    """The (workload, system) of every bar, and (workload, "") for the headings above them."""
    lines: list[tuple[str, str]] = []
    for workload in sorted(set(best["workload"])):
        part = best[(best["workload"] == workload) & best["valid"]]
        found = set(part["system"])
        lines += [(workload, ""), *((workload, s) for s in SYSTEMS if s in found)]
    return lines


def _page(
    rows: pd.DataFrame,
    page: Sequence[Panel],
    lines: Sequence[tuple[str, str]],
    columns: int,
    height: float,
) -> Figure:
    across = -(-len(page) // columns)
    width = style.COLUMN if columns <= 2 else style.PAGE
    figure = Figure(figsize=(width, _HEAD + _FOOT + across * height))
    shown: set[str] = set()
    doubt = False
    for i, panel in enumerate(page):
        axes = figure.add_subplot(across, columns, i + 1)
        for place, (workload, system) in enumerate(lines):
            cell = panel.rows[panel.rows["workload"] == workload]
            if system:
                doubt |= _bar(axes, place, cell, system, shown)
        axes.set_title(panel.title, loc="left", fontsize=style.SMALL)
        axes.set_xlim(0, _WIDTH)
        axes.set_xticks([0, 0.5, 1])
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.tick_params(axis="x", labelbottom=i + columns >= len(page))
        axes.grid(axis="x")
        axes.grid(False, axis="y")
        axes.set_ylim(len(lines) - 0.4, -0.8)
        axes.tick_params(axis="y", length=0)
        names = [baselines.record(s).title if s else style.wide(w) for w, s in lines]
        ticks = axes.set_yticks(range(len(lines)), names)
        axes.tick_params(labelleft=i % columns == 0)
        for tick, (_, system) in zip(ticks, lines, strict=True):
            tick.label1.set_fontweight("normal" if system else "bold")
    handles: list[Artist] = [Patch(**_LOOKS[a], edgecolor="black", linewidth=0.3, label=_meaning(a))
               for a in _LOOKS if a in shown]  # fmt: skip
    if "input" in shown:
        meaning = "input, before the timed run"
        handles.append(Patch(**_INPUT, edgecolor="black", linewidth=0.3, label=meaning))
    if doubt:
        handles.append(style.unstable_sign())
    figure.supxlabel("part of the slowest system's time; milliseconds", fontsize=style.SMALL)
    style.legend(figure, handles, device_title(rows))
    return figure


def _meaning(activity: str) -> str:
    return f"{activity}, not told apart" if activity == TOGETHER else activity


def _bar(axes: Axes, place: int, cell: pd.DataFrame, system: str, shown: set[str]) -> bool:
    """Draw a bar; return whether its row may be unstable."""
    rows = {row["system"]: row for _, row in cell.iterrows()}
    row = rows.get(system)
    if row is None:
        return False
    found = activities(row)
    if found is None:
        why = style.meaning(status_of(row))
        axes.text(0.02, place, why, va="center_baseline", fontsize=style.SMALL)
        return False
    known = filter(None, map(activities, rows.values()))
    scale = max(a.row["median_ms"] + (a.input_ms or 0.0) for a in known)
    left = 0.0
    for activity in _LOOKS:
        length = found.milliseconds.get(activity, 0.0) / scale
        if length:
            axes.barh(place, length, 0.78, left=left, edgecolor="black", linewidth=0.3,
                      **_LOOKS[activity])  # fmt: skip
            shown.add(activity)
        left += length
    if found.input_ms:
        axes.barh(place, found.input_ms / scale, 0.78, left=left, edgecolor="black",
                  linewidth=0.3, **_INPUT)  # fmt: skip
        shown.add("input")
    doubt = found.far or unstable(row)
    text = digits(row["median_ms"]) + ("•" if doubt else "  ")
    axes.text(_WIDTH, place, text, ha="right", va="center_baseline", fontsize=style.SMALL)
    return doubt
