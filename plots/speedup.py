"""Figure F1: speed-up of acrobat over each baseline, per size, batch and thread count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import style
from .content import Content
from .devices import device_title
from .panels import grid, panels_of
from .rows import best_variants, usual_batches, valid
from .shown import Shown
from .speedup_panel import LETTERS, SpeedupPanel
from .spread import ends

# Heights of a panel, the legend, and the names of workloads in inches.
_PANEL, _HEAD, _FOOT = 1.42, 0.62, 0.3
_HOLLOW: dict[str, Any] = {"facecolor": "white", "edgecolor": "black", "linewidth": 0.6}


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """F1, if there is a system other than acrobat."""
    others = set(rows["system"]) - {"acrobat"}
    return Content(figures=speedup_figures(rows)) if others else Content()


def speedup_figures(rows: pd.DataFrame) -> list[Figure]:
    """Bars, starting at 1, of the opponents' medians over acrobat's for one device; whiskers are
    95% bootstrap intervals of the quotient. The geometric mean of a panel's workloads is a separate
    group. In place of an impossible bar there is a letter for its status; the place of a system
    that was not measured in the cell stays empty."""
    style.apply()
    best = best_variants(usual_batches(rows))
    best = best.assign(valid=valid(best))
    measured = set(best["system"])
    opponents = style.in_order(measured - {"acrobat"})
    workloads = sorted(set(best["workload"]))
    figures, panels = [], []
    for figure, places in grid(panels_of(best), _PANEL, _HEAD, _FOOT):
        for panel, axes in places:
            panels.append(SpeedupPanel(axes, panel, opponents, workloads))
            if axes.get_subplotspec().is_first_col():  # type: ignore[union-attr]
                axes.set_ylabel("speed-up of acrobat")
        figures.append(figure)
    handles = style.bars(opponents, best) + _signs(panels)
    for figure in figures:
        style.legend(figure, handles, device_title(rows))
    _scale(figures, panels)
    return figures


def _signs(panels: Sequence[SpeedupPanel]) -> list[Artist]:
    """The legend's handles of the signs, other than systems, that occur in the panels."""
    signs: list[Artist] = []
    if any(i.holds(1.0) for p in panels for i in p.intervals):
        signs.append(Patch(**_HOLLOW, label="no difference: interval includes 1"))
    if any(p.unstable for p in panels):
        signs.append(style.unstable_sign())
    if any(p.left_out for p in panels):
        signs.append(style.sign("$†$", "of other sources, not in the mean"))
    found = {status for p in panels for status in p.statuses}
    return signs + [
        style.sign(rf"$\mathrm{{{letter}}}$", style.meaning(status))
        for status, letter in LETTERS.items()
        if status in found
    ]


def _scale(figures: Sequence[Figure], panels: Sequence[SpeedupPanel]) -> None:
    """Set a common scale for all panels, in which every bar, whisker and number fits."""
    reached = [end for p in panels for i in p.intervals for end in ends(i)]
    low, high = min([0.7, *reached]) / 1.25, max([2.0, *reached]) * 1.3
    for panel in panels:
        panel.axes.set_yscale("log")
        panel.axes.set_ylim(low, high)
    for figure in figures:
        figure.draw_without_rendering()
    for panel in panels:
        box = panel.axes.get_window_extent()
        for text, base in panel.texts:
            # The base of the text must lie in the part of the axis that the text leaves free.
            place = panel.axes.transData.transform((0, base))[1]
            left = 1 - (text.get_window_extent().y1 - place) / box.height
            high = max(high, low * math.exp(math.log(base / low) / max(0.2, left)))
    for panel in panels:
        panel.axes.set_ylim(low, high)
        style.log_ticks(panel.axes, "{x:g}x")
