"""Figure F1: speed-up of acrobat over each opponent, per size, batch and thread count."""

from __future__ import annotations

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from . import style
from .devices import device_title, threads_of
from .rows import CELL, best_variants, usual_batches, valid

OPPONENTS = ("dynet", "cortex", "torch_eager", "torch_batched", "torch_compile", "floor")
# Up to so many bars a panel is readable at half the width of a page; several of more are side by
# side on a page of twice the width.
_FEW_BARS = 14
_PAGE = 7.0  # inches


def speedup_figure(rows: pd.DataFrame) -> Figure:
    """Bars of the opponents' medians over acrobat's, of one device; whiskers from the opponents'
    quartiles. The place of a bar that there cannot be is labelled with the reason's status; that of
    a system that was not measured in the cell stays empty."""
    style.apply()
    best = best_variants(usual_batches(rows))
    best = best.assign(valid=valid(best))
    measured = set(best["system"])
    opponents = [name for name in OPPONENTS if name in measured]
    panels = sorted(set(zip(best["workload"], best["threads"], strict=True)))
    cells = best[CELL].drop_duplicates().groupby(["workload", "threads"]).size().max()
    few = cells * len(opponents) <= _FEW_BARS
    columns = 2 if len(panels) > (1 if few else 4) else 1
    lines = -(-len(panels) // columns)
    width = _PAGE if few or columns == 1 else 2 * _PAGE
    figure = Figure(figsize=(width, 0.8 + 2.1 * lines))
    for i, (workload, threads) in enumerate(panels):
        axes = figure.add_subplot(lines, columns, i + 1)
        part = best[(best["workload"] == workload) & (best["threads"] == threads)]
        groups = list(part.groupby(CELL, observed=True))
        bar = 0.8 / max(1, len(opponents))
        for n, opponent in enumerate(opponents):
            for g, (_, cell) in enumerate(groups):
                x = g + (n - (len(opponents) - 1) / 2) * bar
                _bar(axes, x, bar, cell, opponent)
        axes.axhline(1.0, color="black", linewidth=0.8)
        axes.set_yscale("log")
        if i % columns == 0:
            axes.set_ylabel("speed-up of acrobat")
        axes.set_title(f"{workload}{threads_of(rows['device'].iloc[0], threads)}", loc="left")
        axes.set_xticks(range(len(groups)), [f"{key[1]}, batch {key[2]}" for key, _ in groups])
        _limit(axes)
    style.legend(figure, opponents, rows["device"].iloc[0], device_title(rows))
    return figure


def _limit(axes: matplotlib.axes.Axes) -> None:
    low, high = axes.get_ylim()
    low, high = min(low, 0.5), high * 1.35
    steps = [s * 10.0**e for e in range(-3, 6) for s in (1, 2, 5)]
    ticks = [t for t in steps if low <= t <= high]
    # Over many decades the powers of ten are enough.
    if len(ticks) > 9:
        ticks = [t for t in ticks if f"{t:e}".startswith("1.")]
    axes.set_yticks(ticks, [f"{t:g}x" for t in ticks])
    axes.minorticks_off()
    axes.set_ylim(low, high)


def _bar(
    axes: matplotlib.axes.Axes,
    x: float,
    width: float,
    cell: pd.DataFrame,
    opponent: str,
) -> None:
    ours, theirs = cell[cell["system"] == "acrobat"], cell[cell["system"] == opponent]
    colour = style.COLOURS[opponent]
    if theirs.empty:
        return
    if ours.empty or not ours["valid"].iloc[0] or not theirs["valid"].iloc[0]:
        missing = ours if ours.empty or not ours["valid"].iloc[0] else theirs
        name_of = "acrobat " if missing is ours else ""
        axes.bar(x, 1.0, width * 0.9, color="none", edgecolor=colour, hatch="//")
        axes.text(x, 1.05, name_of + _status(missing), rotation=90, ha="center", va="bottom",
                  fontsize=6)  # fmt: skip
        return
    base = ours["median_ms"].iloc[0]
    ratio = theirs["median_ms"].iloc[0] / base
    spread = theirs["iqr_ms"].iloc[0] / base / 2
    axes.bar(x, ratio, width * 0.9, color=colour)
    axes.errorbar(x, ratio, spread, color="black", linewidth=0.8, capsize=1.5)
    # The line at 1 goes behind the number.
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
    axes.text(x, ratio * 1.06 + spread, f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}",
              ha="center", va="bottom", fontsize=7, bbox=behind)  # fmt: skip


def _status(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "not measured"
    status = str(rows["status"].iloc[0])
    return "wrong" if status == "ok" else status
