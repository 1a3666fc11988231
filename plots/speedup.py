"""Figure F1: speed-up of acrobat over each opponent, per size, batch and thread count."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from . import style
from .rows import CELL, best_variants, valid

OPPONENTS = ("dynet", "cortex", "torch_eager", "torch_batched", "torch_compile", "floor")


def speedup_figure(rows: pd.DataFrame) -> Figure:
    """Bars of the opponents' medians over acrobat's; whiskers from the opponents' quartiles. A
    missing bar is labelled with its status."""
    style.apply()
    best = best_variants(rows)
    best = best.assign(valid=valid(best))
    measured = set(best["system"])
    opponents = [name for name in OPPONENTS if name in measured]
    panels = list(dict.fromkeys(zip(best["workload"], best["threads"], strict=True)))
    figure = Figure(figsize=(7.0, 0.6 + 2.1 * len(panels)))
    for i, (workload, threads) in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, i + 1)
        part = best[(best["workload"] == workload) & (best["threads"] == threads)]
        groups = list(part.groupby(CELL, observed=True))
        width = 0.8 / max(1, len(opponents))
        for n, opponent in enumerate(opponents):
            for g, (_, cell) in enumerate(groups):
                x = g + (n - (len(opponents) - 1) / 2) * width
                _bar(axes, x, width, cell, opponent, label=g == 0)
        axes.axhline(1.0, color="black", linewidth=0.8)
        axes.set_yscale("log")
        axes.set_ylabel("speed-up of acrobat")
        axes.set_title(f"{workload}, {threads} thread{'s' if threads > 1 else ''}", loc="left")
        axes.set_xticks(range(len(groups)), [f"{key[1]}, batch {key[2]}" for key, _ in groups])
        low, high = axes.get_ylim()
        low, high = min(low, 0.5), high * 1.35
        ticks = [t for t in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if low <= t <= high]
        axes.set_yticks(ticks, [f"{t:g}x" for t in ticks])
        axes.minorticks_off()
        axes.set_ylim(low, high)
        if i == 0:
            handles, labels = axes.get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def _bar(
    axes: matplotlib.axes.Axes,
    x: float,
    width: float,
    cell: pd.DataFrame,
    opponent: str,
    label: bool,
) -> None:
    ours, theirs = cell[cell["system"] == "acrobat"], cell[cell["system"] == opponent]
    name = style.LABELS[opponent] if label else "_"
    colour = style.COLOURS[opponent]
    if ours.empty or theirs.empty or not ours["valid"].iloc[0] or not theirs["valid"].iloc[0]:
        missing = ours if ours.empty or not ours["valid"].iloc[0] else theirs
        name_of = "acrobat " if missing is ours else ""
        status = name_of + ("not measured" if missing.empty else str(missing["status"].iloc[0]))
        axes.bar(x, 1.0, width * 0.9, color="none", edgecolor=colour, hatch="//", label=name)
        axes.text(x, 1.05, status, rotation=90, ha="center", va="bottom", fontsize=6)
        return
    base = ours["median_ms"].iloc[0]
    ratio = theirs["median_ms"].iloc[0] / base
    spread = theirs["iqr_ms"].iloc[0] / base / 2
    axes.bar(x, ratio, width * 0.9, color=colour, label=name)
    axes.errorbar(x, ratio, spread, color="black", linewidth=0.8, capsize=1.5)
    axes.text(x, ratio * 1.06 + spread, f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}",
              ha="center", va="bottom", fontsize=7)  # fmt: skip


def write_figure(figure: Figure, stem: Path) -> list[Path]:
    """`figure` as PDF, SVG and PNG beside each other."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_suffix(s) for s in (".pdf", ".svg", ".png")]
    for path in paths:
        figure.savefig(path, dpi=200)
    return paths
