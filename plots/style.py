"""One style for all figures: print size, colours that survive colour blindness and grey scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

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
LABELS = {
    "acrobat": "acrobat",
    "dynet": "DyNet (best strategy)",
    "cortex": "Cortex-like (best schedule)",
    "torch_eager": "PyTorch eager",
    "torch_batched": "PyTorch, batched by an expert",
    "torch_compile": "the expert's PyTorch, compiled",
    "floor": "floor (contractions alone)",
}
# On a GPU there are two limits.
_FLOOR_OF_GPU = "floor (contractions or launches)"
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
# The order of systems in legends and columns.
SYSTEMS = tuple(LABELS)


def label(system: str, device: str) -> str:
    """A system's name in legends."""
    return _FLOOR_OF_GPU if (system, device) == ("floor", "cuda") else LABELS[system]


def legend(
    figure: Figure, systems: Sequence[str], device: str, title: str, lines: bool = False
) -> None:
    """The colours of `systems`, and the markers of their `lines`, above all panels, under the
    figure's title."""
    handles = [Line2D([], [], **line(s)) if lines else Patch(color=COLOURS[s]) for s in systems]
    labels = [label(s, device) for s in systems]
    figure.legend(handles, labels, title=title, loc="outside upper center", ncols=3)


def line(system: str) -> dict[str, Any]:
    """How a system's curve looks; the limits are dashed."""
    return {
        "color": COLOURS[system],
        "marker": MARKERS[system],
        "markersize": 3.5,
        "linewidth": 1.2,
        "linestyle": "--" if system == "floor" else "-",
    }


def log_ticks(axes: Axes, formatter: Any = "{x:g}") -> None:
    """Ticks of a logarithmic axis y, between the powers of ten too where these are few."""
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 300 else (1,)))
    axes.yaxis.set_major_formatter(formatter)
    axes.yaxis.set_minor_locator(NullLocator())


def apply() -> None:
    """Set matplotlib's defaults."""
    rcParams.update(
        {
            "font.size": 8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "grid.linewidth": 0.4,
            "grid.color": "#cccccc",
            "legend.frameon": False,
            "svg.hashsalt": "acrobat",
            "figure.constrained_layout.use": True,
        }
    )
