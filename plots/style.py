"""One style for all figures: print sizes, and the look of each system, from its record."""

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

# Inches: the widths of a column and a page of a two-column paper, and the height above a caption.
COLUMN, PAGE, TALLEST = 3.33, 7.0, 9.0
# Points; nothing is smaller than SMALL, the minimum that journals require.
TEXT, SMALL = 7, 6

# The look of whiskers, except the length of their caps.
WHISKER: dict[str, Any] = {"fmt": "none", "ecolor": "black", "elinewidth": 0.5, "capthick": 0.5}


def in_order(systems: Collection[str]) -> list[str]:
    """The known systems among `systems`, in the order of legends and columns."""
    return [name for name in baselines.names() if name in systems]


def colour(system: str) -> str:
    """The colour of a system's bars and curves."""
    return baselines.record(system).look.colour


def marker(system: str) -> str:
    """The marker of a system's points, since curves cannot be told apart in greyscale."""
    return baselines.record(system).look.marker


def labels(systems: Sequence[str], rows: pd.DataFrame) -> dict[str, str]:
    """The names of systems in legends, for rows of one device, with the number of threads if a
    system used fewer than it was allowed."""
    on_gpu = rows["device"].iloc[0] == "cuda"
    names = {}
    for system in systems:
        record = baselines.record(system)
        names[system] = (on_gpu and record.label_on_gpu) or record.label
        if (used := threads_used(rows, system)) is not None:
            names[system] += f" on {used} thread{'' if used == 1 else 's'}"
    return names


def narrow(workload: str) -> str:
    """A workload's name on two short lines, for the axis of a panel with many workloads."""
    if workload not in workloads.ALL:
        return workload.replace("_", "\n")
    return workloads.get(workload).narrow_label or wide(workload)


def wide(workload: str) -> str:
    """A workload's name on one line."""
    return workloads.get(workload).label if workload in workloads.ALL else workload


def legend(figure: Figure, handles: Sequence[Artist], title: str) -> None:
    """Draw the legend of colours and signs above all panels, under the figure's title."""
    columns = 2 if figure.get_figwidth() < PAGE else 4
    figure.legend(handles=handles, title=title, loc="outside upper center", ncols=columns)


def bar(system: str) -> dict[str, Any]:
    """The look of a system's bars."""
    return {
        "facecolor": colour(system),
        "edgecolor": "black",
        "linewidth": 0.3,
        "hatch": baselines.record(system).look.hatch,
    }


def bars(systems: Sequence[str], rows: pd.DataFrame) -> list[Artist]:
    """A legend's handles for systems shown as bars."""
    return [Patch(**bar(s), label=name) for s, name in labels(systems, rows).items()]


def curves(systems: Sequence[str], rows: pd.DataFrame) -> list[Artist]:
    """A legend's handles for systems shown as curves."""
    return [Line2D([], [], **line(s), label=name) for s, name in labels(systems, rows).items()]


def sign(marker: str, meaning: str, colour: str = "black", hollow: bool = False) -> Line2D:
    """A legend's handle for a sign that is not a bar."""
    inside = "white" if hollow else colour
    edge = 0 if "$" in marker else 0.8
    # A letter as a marker is a formula, which is ours and may be parsed.
    with rc_context({"text.parse_math": True}):
        return Line2D([], [], linestyle="", marker=marker, color=colour, markerfacecolor=inside,
                      markersize=4, markeredgewidth=edge, label=meaning)  # fmt: skip


def unstable_sign() -> Line2D:
    """The handle for the dot that marks a row that may be unstable."""
    return sign(".", "may be unstable")


def meaning(status: str) -> str:
    """A row's status in the words of a figure."""
    return {"oom": "out of memory", "wrong": "wrong results"}.get(status, status)


def line(system: str) -> dict[str, Any]:
    """The look of a system's curve; limits are dashed."""
    return {
        "color": colour(system),
        "marker": marker(system),
        "markersize": 3.0,
        "linewidth": 1.0,
        "linestyle": "--" if baselines.record(system).is_limit else "-",
    }


def log_ticks(axes: Axes, formatter: Any = "{x:g}", vertical: bool = True) -> None:
    """Set the ticks of a logarithmic axis, with ticks between powers of ten if these are few."""
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
            # A dollar sign in a name does not begin a formula.
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
            # TrueType, since publishers reject matplotlib's Type 3 fonts.
            "pdf.fonttype": 42,
            # A browser that lacks the font would use wider letters, which overlap.
            "svg.fonttype": "path",
            "svg.hashsalt": "acrobat",
            "figure.constrained_layout.use": True,
            "figure.constrained_layout.h_pad": 0.02,
            "figure.constrained_layout.w_pad": 0.02,
        }
    )
