"""Figure F3 and its table: latency and throughput against the size of the mini-batch."""

from __future__ import annotations

import matplotlib
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from . import style
from .cells import by_cell, cell_columns, time, value, variant
from .devices import device_title, threads_of
from .rows import best_variants, headline_variants, on_curves

_CURVE = ["workload", "model_size", "threads"]


def batch_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The best rows of what was measured at several batch sizes, maybe none: curve by curve."""
    chosen = on_curves(rows)
    best = best_variants(chosen) if len(chosen) else chosen.assign(valid=False)
    return best.sort_values([*_CURVE, "batch_size", "system"], ignore_index=True)


def batch_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per batch size: every system's milliseconds and instances per second."""
    best = batch_rows(rows)
    measured = set(best["system"])
    named = len(headline_variants(rows)) > 1
    lines = []
    for cell, systems in by_cell(best).items():
        line = cell_columns(cell)
        for system in filter(measured.__contains__, style.SYSTEMS):
            row = systems.get(system)
            line[f"{system} ms"] = time(row)
            line[f"{system} inst/s"] = value(row, "throughput_inst_s") if _has(row) else "-"
            if system == "dynet" or (system == "acrobat" and named):
                line[f"{system} variant"] = variant(row)
        lines.append(line)
    return pd.DataFrame(lines)


def _has(row: pd.Series | None) -> bool:
    return row is not None and row["status"] == "ok"


def batch_figure(rows: pd.DataFrame) -> Figure:
    """Per workload, size and thread count two panels of one device's rows: median time of a
    mini-batch, and instances per second. A cross at the bottom is a row without a time."""
    style.apply()
    groups = list(batch_rows(rows).groupby(_CURVE, observed=True, sort=False))
    figure = Figure(figsize=(7.0, 0.8 + 2.4 * len(groups)))
    for n, (curve, part) in enumerate(groups):
        workload, size, threads = curve
        name = f"{workload} {size}{threads_of(rows['device'].iloc[0], threads)}"
        for m, (column, label) in enumerate(
            [("median_ms", "ms per mini-batch"), ("throughput_inst_s", "instances per second")]
        ):
            axes = figure.add_subplot(len(groups), 2, 2 * n + m + 1)
            _curves(axes, part, column)
            axes.set_ylabel(label)
            axes.set_xlabel("mini-batch size")
            axes.set_title(name, loc="left")
    measured = set(batch_rows(rows)["system"])
    systems = [s for s in style.SYSTEMS if s in measured]
    style.legend(figure, systems, rows["device"].iloc[0], device_title(rows), lines=True)
    return figure


def _curves(axes: matplotlib.axes.Axes, part: pd.DataFrame, column: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for system in style.SYSTEMS:
        rows = part[part["system"] == system]
        if rows.empty:
            continue
        # What has no time interrupts the curve.
        heights = rows[column].where(rows["valid"]).astype(float)
        axes.plot(rows["batch_size"], heights, **style.line(system))
        failed = rows.loc[~rows["valid"], "batch_size"]
        bottom = axes.get_xaxis_transform()
        crosses = [0.02] * len(failed)
        colour = style.COLOURS[system]
        axes.scatter(failed, crosses, s=20, color=colour, marker="x", transform=bottom)
    batches = sorted(part["batch_size"].unique())
    axes.set_xticks(batches, [str(b) for b in batches], fontsize=7)
    axes.minorticks_off()
    axes.grid(axis="x")
    style.log_ticks(axes, "{x:g}" if column == "median_ms" else EngFormatter(sep=""))
