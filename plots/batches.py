"""Figure F3 and its table: latency and throughput against the size of the mini-batch."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

import baselines
from harness.intervals import Interval, Timing, median_interval

from . import style
from .cells import by_cell, cell_columns, time, value, variant
from .content import Content, Table
from .devices import device_title, threads_of
from .panels import pages
from .rows import best_variants, headline_variants, on_curves
from .shown import Shown
from .spread import unstable, whisker

_CURVE = ["workload", "model_size", "threads"]
_LABELS = {"median_ms": "ms per mini-batch", "throughput_inst_s": "instances per second"}
# Heights of a curve's panels and of the legend in inches.
_PANEL, _HEAD = 1.8, 0.6


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """F3, if anything was measured at enough batch sizes."""
    if not len(batch_rows(rows)):
        return Content()
    return Content([Table(batch_table(rows))], batch_figures(rows))


def batch_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The best rows of everything measured at several batch sizes, sorted by curve; may be
    empty."""
    chosen = on_curves(rows)
    best = best_variants(chosen) if len(chosen) else chosen.assign(valid=False)
    return best.sort_values([*_CURVE, "batch_size", "system"], ignore_index=True)


def batch_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per batch size, with every system's milliseconds and instances per second."""
    best = batch_rows(rows)
    measured = set(best["system"])
    named = len(headline_variants(rows)) > 1
    lines = []
    for cell, systems in by_cell(best).items():
        line = cell_columns(cell)
        for system in style.in_order(measured):
            row = systems.get(system)
            line[f"{system} ms"] = time(row)
            line[f"{system} inst/s"] = value(row, "throughput_inst_s") if _has(row) else "-"
            if len(baselines.variants(system)) > 1 or (system == "acrobat" and named):
                line[f"{system} variant"] = variant(row)
        lines.append(line)
    return pd.DataFrame(lines)


def _has(row: pd.Series | None) -> bool:
    return row is not None and row["status"] == "ok"


def batch_figures(rows: pd.DataFrame) -> list[Figure]:
    """Figures of one device's rows, with two panels per workload, size and thread count: the median
    time of a mini-batch, and instances per second, with 95% bootstrap intervals. A hollow point
    marks a row that may be unstable; a cross at the bottom marks a row without a time."""
    style.apply()
    best = batch_rows(rows)
    groups = list(best.groupby(_CURVE, observed=True, sort=False))
    room = int((style.TALLEST - _HEAD) / _PANEL)
    measured = set(best["system"])
    device = rows["device"].iloc[0]
    handles = style.curves(style.in_order(measured), best)
    if any(unstable(row) for _, row in best[best["valid"]].iterrows()):
        handles.append(style.sign("o", "may be unstable", hollow=True))
    if not best["valid"].all():
        handles.append(style.sign("x", "no time"))
    figures = []
    for page in pages(groups, room):
        figure = Figure(figsize=(style.PAGE, _HEAD + _PANEL * len(page)))
        for n, (curve, part) in enumerate(page):
            workload, size, threads = curve
            name = f"{style.wide(str(workload))}, {size}{threads_of(device, threads)}"
            for m, (column, label) in enumerate(_LABELS.items()):
                axes = figure.add_subplot(len(page), 2, 2 * n + m + 1)
                _curves(axes, part, column)
                axes.set_ylabel(label)
                axes.set_title(name, loc="left")
                if n + 1 == len(page):
                    axes.set_xlabel("mini-batch size")
        style.legend(figure, handles, device_title(rows))
        figures.append(figure)
    return figures


def _curves(axes: Axes, part: pd.DataFrame, column: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for system in style.in_order(set(part["system"])):
        rows = part[part["system"] == system]
        # A row without a time interrupts the curve.
        heights = rows[column].where(rows["valid"]).astype(float)
        axes.plot(rows["batch_size"], heights, **style.line(system))
        for _, row in rows[rows["valid"]].iterrows():
            _point(axes, row, column, system)
        failed = rows.loc[~rows["valid"], "batch_size"]
        bottom = axes.get_xaxis_transform()
        crosses = [0.02] * len(failed)
        colour = style.colour(system)
        axes.scatter(failed, crosses, s=14, color=colour, marker="x", linewidth=0.8,
                     transform=bottom)  # fmt: skip
    batches = sorted(part["batch_size"].unique())
    axes.set_xticks(batches, [str(b) for b in batches])
    axes.minorticks_off()
    axes.grid(axis="x")
    style.log_ticks(axes, "{x:g}" if column == "median_ms" else EngFormatter(sep=""))


def _point(axes: Axes, row: pd.Series, column: str, system: str) -> None:
    """Draw the whisker of a point, and a hollow marker if its row may be unstable."""
    if not row["samples_ms"]:
        return
    x, time = row["batch_size"], median_interval(Timing.of(row))
    if column != "median_ms":
        time = per_second(time, x)
    look = style.WHISKER | {"ecolor": style.colour(system)}
    axes.errorbar(x, time.value, whisker(time), capsize=1.5, **look)
    if unstable(row):
        look = style.line(system) | {"markerfacecolor": "white", "linestyle": ""}
        axes.plot(x, time.value, **look)


def per_second(milliseconds: Interval, batch: int) -> Interval:
    """Instances per second from the milliseconds of a mini-batch; the ends swap places."""
    ends = (milliseconds.value, milliseconds.high, milliseconds.low)
    return Interval(*(1e3 * batch / end for end in ends))
