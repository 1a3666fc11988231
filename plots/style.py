"""One style for all figures: print size, and how each system looks, as its record says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
from matplotlib import rc_context, rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

import baselines
import workloads

from .rows import threads_used

# Inches: a column and a page of a two-column paper, and what is left of a page above a caption.
COLUMN, PAGE, TALLEST = 3.33, 7.0, 9.0
# Points; nothing is smaller than SMALL, which journals ask for.
TEXT, SMALL = 7, 6

# How whiskers look, but for the length of their caps.
WHISKER: dict[str, Any] = {"fmt": "none", "ecolor": "black", "elinewidth": 0.5, "capthick": 0.5}


def in_order(systems: Collection[str]) -> list[str]:
    """Of all systems those in `systems`, in the order of legends and columns."""
    return [name for name in baselines.names() if name in systems]


def colour(system: str) -> str:
    """Of a system's bars and curves."""
    return baselines.record(system).look.colour


def marker(system: str) -> str:
    """Of a system's points: where there are curves, grey scale is not enough to tell them apart."""
    return baselines.record(system).look.marker


def labels(systems: Sequence[str], rows: pd.DataFrame) -> dict[str, str]:
    """The names of systems in legends, for rows of one device; one that used fewer threads than it
    might says so."""
    on_gpu = rows["device"].iloc[0] == "cuda"
    names = {}
    for system in systems:
        record = baselines.record(system)
        names[system] = (on_gpu and record.label_on_gpu) or record.label
        if (used := threads_used(rows, system)) is not None:
            names[system] += f" on {used} thread{'' if used == 1 else 's'}"
    return names


def narrow(workload: str) -> str:
    """A workload's name in two short lines, for the axis of a panel that has many."""
    if workload not in workloads.ALL:
        return workload.replace("_", "\n")
    return workloads.get(workload).narrow_label or wide(workload)


def wide(workload: str) -> str:
    """A workload's name in one line."""
    return workloads.get(workload).label if workload in workloads.ALL else workload


def legend(figure: Figure, handles: Sequence[Artist], title: str) -> None:
    """What the colours and signs mean, above all panels, under the figure's title."""
    columns = 2 if figure.get_figwidth() < PAGE else 4
    figure.legend(handles=handles, title=title, loc="outside upper center", ncols=columns)


def bar(system: str) -> dict[str, Any]:
    """How a system's bars look."""
    return {
        "facecolor": colour(system),
        "edgecolor": "black",
        "linewidth": 0.3,
        "hatch": baselines.record(system).look.hatch,
    }


def bars(systems: Sequence[str], rows: pd.DataFrame) -> list[Artist]:
    """A legend's handles of systems that have bars."""
    return [Patch(**bar(s), label=name) for s, name in labels(systems, rows).items()]


def curves(systems: Sequence[str], rows: pd.DataFrame) -> list[Artist]:
    """A legend's handles of systems that have curves."""
    return [Line2D([], [], **line(s), label=name) for s, name in labels(systems, rows).items()]


def sign(marker: str, meaning: str, colour: str = "black", hollow: bool = False) -> Line2D:
    """A legend's handle of a sign that is no bar."""
    inside = "white" if hollow else colour
    edge = 0 if "$" in marker else 0.8
    # A letter as a marker is a formula, and ours.
    with rc_context({"text.parse_math": True}):
        return Line2D([], [], linestyle="", marker=marker, color=colour, markerfacecolor=inside,
                      markersize=4, markeredgewidth=edge, label=meaning)  # fmt: skip


def unstable_sign() -> Line2D:
    """The dot beside what comes from a row that may be unstable."""
    return sign(".", "may be unstable")


def meaning(status: str) -> str:
    """A row's status in a figure."""
    return {"oom": "out of memory", "wrong": "wrong results"}.get(status, status)


def line(system: str) -> dict[str, Any]:
    """How a system's curve looks; the limits are dashed."""
    return {
        "color": colour(system),
        "marker": marker(system),
        "markersize": 3.0,
        "linewidth": 1.0,
        "linestyle": "--" if baselines.record(system).is_limit else "-",
    }


def log_ticks(axes: Axes, formatter: Any = "{x:g}", vertical: bool = True) -> None:
    """Ticks of a logarithmic axis, between the powers of ten too where these are few."""
    low, high = axes.get_ylim() if vertical else axes.get_xlim()
    axis = axes.yaxis if vertical else axes.xaxis
    subs = (1, 2, 5) if high / low < 30 else (1, 3) if high / low < 1000 else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(formatter)
    axis.set_minor_locator(NullLocator())


def apply() -> None:
    """Set matplotlib's defaults."""
    rcParams.update(
        {
            # A dollar in a name is a dollar, not the beginning of a formula.
            "text.parse_math": False,
            "font.size": TEXT,
            "axes.titlesize": TEXT,
            "axes.titlepad": 3,
            "axes.labelsize": SMALL,
            "axes.labelpad": 2,
            "xtick.labelsize": SMALL,
            "ytick.labelsize": SMALL,
            "xtick.major.size": 2,
            "ytick.major.size": 2,
            "axes.linewidth": 0.5,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "grid.linewidth": 0.3,
            "grid.color": "#cccccc",
            "hatch.linewidth": 0.4,
            "legend.frameon": False,
            "legend.fontsize": SMALL,
            "legend.title_fontsize": TEXT,
            "legend.columnspacing": 1.2,
            "legend.handletextpad": 0.5,
            "legend.borderaxespad": 0.2,
            "legend.labelspacing": 0.3,
            # TrueType: publishers refuse matplotlib's Type 3.
            "pdf.fonttype": 42,
            # A browser that lacks the font would set wider letters, which collide.
            "svg.fonttype": "path",
            "svg.hashsalt": "acrobat",
            "figure.constrained_layout.use": True,
            "figure.constrained_layout.h_pad": 0.02,
            "figure.constrained_layout.w_pad": 0.02,
        }
    )
