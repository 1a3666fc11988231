"""Figure F6 and its table: energy per mini-batch and per instance.

The counters measure a whole board or socket, including idle power (docs/design.md, "Measuring"): a
slow system is also charged for idle power over its longer time.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import style
from .cells import by_cell, cell_columns, digits, value, variant
from .content import Content, Table
from .devices import device_title
from .panels import grid, panels_of
from .rows import CELL, best_variants, limits, usual_batches
from .shown import Shown
from .spread import unstable

# Heights of a panel, the legend, and the names of workloads in inches.
_PANEL, _HEAD, _FOOT = 1.42, 0.6, 0.3


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """F6, if any energy is known."""
    if not len(energy_rows(rows)):
        return Content()
    return Content([Table(energy_table(rows))], energy_figures(rows))


def energy_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The best rows of the cells and systems with any known energy; may be empty. Limits, which are
    not systems, are left out."""
    rows = rows[~rows["system"].isin(limits())]
    best = best_variants(rows) if len(rows) else rows.assign(valid=False)
    joules = pd.to_numeric(best["energy_j"], errors="coerce")
    best = best.assign(energy_j=joules, joules=joules / best["batch_size"])
    best["known"] = best["valid"] & (joules > 0)
    for keys in (CELL, ["system"]):
        some = best.groupby(keys, observed=True)["known"].transform("any")
        best = best[some.astype(bool)]
    return best.reset_index(drop=True)


def energy_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per cell and system: joules per mini-batch and per instance, the mean power while the
    system runs (joules over the median time), and its energy relative to acrobat's."""
    lines = []
    for cell, systems in by_cell(energy_rows(rows)).items():
        ours = systems.get("acrobat")
        for system in style.in_order(systems):
            row = systems[system]
            line = cell_columns(cell)
            line |= {"system": system, "variant": variant(row)}
            line["J per mini-batch"] = value(row, "energy_j")
            known = row["known"]
            line["J per instance"] = digits(row["joules"]) if known else "-"
            watts = row["energy_j"] / row["median_ms"] * 1e3 if known else None
            line["W"] = digits(watts) if watts is not None else "-"
            both = known and ours is not None and ours["known"]
            line["/ acrobat"] = f"{row['joules'] / ours['joules']:.2f}" if both else "-"  # type: ignore[index]
            lines.append(line)
    return pd.DataFrame(lines)


def energy_figures(rows: pd.DataFrame) -> list[Figure]:
    """Millijoules per instance of one device's rows, a panel per size, thread count and batch size.
    Drawn as points, since a logarithmic axis has no natural base for bars; without intervals, since
    a row's energy is a single measurement. A hollow point marks a row that may be unstable, a cross
    at the bottom a row without energy."""
    style.apply()
    best = energy_rows(usual_batches(rows))
    measured = set(best["system"])
    systems = style.in_order(measured)
    workloads = sorted(set(best["workload"]))
    handles = [
        style.sign(style.marker(s), name, style.colour(s))
        for s, name in style.labels(systems, best).items()
    ]
    if any(unstable(row) for _, row in best[best["known"]].iterrows()):
        handles.append(style.sign("o", "may be unstable", hollow=True))
    if not best["known"].all():
        handles.append(style.sign("x", "not known"))
    figures = []
    for figure, panels in grid(panels_of(best), _PANEL, _HEAD, _FOOT):
        for i, (panel, axes) in enumerate(panels):
            axes.set_yscale("log")
            _points(axes, panel.rows, systems, workloads)
            if i % 2 == 0:
                axes.set_ylabel("mJ per instance")
        style.log_ticks(panels[0][1])
        style.legend(figure, handles, device_title(rows))
        figures.append(figure)
    return figures


def _points(axes: Axes, part: pd.DataFrame, systems: list[str], workloads: list[str]) -> None:
    bottom = axes.get_xaxis_transform()
    for _, row in part.iterrows():
        n, system = systems.index(row["system"]), row["system"]
        x = workloads.index(row["workload"]) + (n - (len(systems) - 1) / 2) * 0.8 / len(systems)
        colour = style.colour(system)
        if row["known"]:
            look = style.line(system) | {"linestyle": ""}
            if unstable(row):
                look["markerfacecolor"] = "white"
            axes.plot(x, 1e3 * row["joules"], **look)
        else:
            axes.scatter(x, 0.04, s=10, color=colour, marker="x", linewidth=0.8, transform=bottom)
    axes.set_xticks(range(len(workloads)), list(map(style.narrow, workloads)))
    axes.set_xlim(-0.5, len(workloads) - 0.5)
    axes.tick_params(axis="x", length=0)
