"""One style for all figures: print size, colours that survive colour blindness and grey scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

from .rows import threads_used

# Inches: a column and a page of a two-column paper, and what is left of a page above a caption.
COLUMN, PAGE, TALLEST = 3.33, 7.0, 9.0
# Points; nothing is smaller than SMALL, which journals ask for.
TEXT, SMALL = 7, 6

# Okabe and Ito's palette; one colour per system everywhere.
COLOURS = {
    "dynet": "#D55E00",
    "cortex": "#CC79A7",
    "torch_eager": "#999999",
    "torch_batched": "#0072B2",
    "torch_compile": "#56B4E9",
    "floor": "#009E73",
    "acrobat": "#000000",
}
# Colours that are alike in grey.
HATCHES = {"cortex": "//////", "torch_compile": "......", "floor": "\\\\\\\\\\\\"}
LABELS = {
    "acrobat": "acrobat",
    "dynet": "DyNet, best strategy",
    "cortex": "Cortex-like, best schedule",
    "torch_eager": "PyTorch eager",
    "torch_batched": "PyTorch, batched by an expert",
    "torch_compile": "the expert's PyTorch, compiled",
    "floor": "library GEMMs alone",
}
# On a GPU there are two limits.
_FLOOR_OF_GPU = "library GEMMs or launches alone"
_WORKLOADS = {
    "treelstm": "Tree\nLSTM",
    "treelstm_childsum": "Child-\nsum",
    "mvrnn": "MV-\nRNN",
    "birnn": "Bi\nRNN",
    "nestedrnn": "Nested\nRNN",
    "drnn": "DRNN",
    "berxit": "BERxiT",
    "stackrnn": "Stack\nRNN",
}
# Where there are curves, grey scale is not enough to tell them apart.
MARKERS = {
    "acrobat": "o",
    "dynet": "s",
    "cortex": "D",
    "torch_eager": "v",
    "torch_batched": "^",
    "torch_compile": "P",
    "floor": "x",
}
# How whiskers look, but for the length of their caps.
WHISKER: dict[str, Any] = {"fmt": "none", "ecolor": "black", "elinewidth": 0.5, "capthick": 0.5}
# The order of systems in legends and columns.
SYSTEMS = tuple(LABELS)


def labels(systems: Sequence[str], rows: pd.DataFrame) -> dict[str, str]:
    """The names of systems in legends, for rows of one device; one that used fewer threads than it
    might says so."""
    names = {s: LABELS[s] for s in systems}
    if "floor" in names and rows["device"].iloc[0] == "cuda":
        names["floor"] = _FLOOR_OF_GPU
    for system in systems:
        if (used := threads_used(rows, system)) is not None:
            names[system] += f" on {used} thread{'' if used == 1 else 's'}"
    return names


def narrow(workload: str) -> str:
    """A workload's name in two short lines, for the axis of a panel that has many."""
    return _WORKLOADS.get(workload, workload.replace("_", "\n"))


def wide(workload: str) -> str:
    """A workload's name in one line."""
    name = "TreeLSTM, child-sum" if workload == "treelstm_childsum" else narrow(workload)
    return name.replace("-\n", "-").replace("\n", "")


def legend(figure: Figure, handles: Sequence[Artist], title: str) -> None:
    """What the colours and signs mean, above all panels, under the figure's title."""
    columns = 2 if figure.get_figwidth() < PAGE else 4
    figure.legend(handles=handles, title=title, loc="outside upper center", ncols=columns)


def bar(system: str) -> dict[str, Any]:
    """How a system's bars look."""
    return {
        "facecolor": COLOURS[system],
        "edgecolor": "black",
        "linewidth": 0.3,
        "hatch": HATCHES.get(system, ""),
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
        "color": COLOURS[system],
        "marker": MARKERS[system],
        "markersize": 3.0,
        "linewidth": 1.0,
        "linestyle": "--" if system == "floor" else "-",
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
