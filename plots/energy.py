"""Figure F6 and its table: energy per mini-batch and per instance.

What a counter of a whole board or socket shows, idle power included (docs/design.md, "Measuring"):
a slow system also pays for the idle time that it makes.
"""

from __future__ import annotations

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from . import style
from .cells import by_cell, cell_columns, digits, value, variant
from .devices import device_title, threads_of
from .rows import CELL, best_variants, usual_batches


def energy_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The best rows of cells and systems of which some energy is known; maybe none. The limits that
    are no systems are left out."""
    rows = rows[rows["system"] != "floor"]
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
    system runs (joules over the median time), and how many times acrobat's energy that is."""
    lines = []
    for cell, systems in by_cell(energy_rows(rows)).items():
        ours = systems.get("acrobat")
        for system in filter(systems.__contains__, style.SYSTEMS):
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


def energy_figure(rows: pd.DataFrame) -> Figure:
    """Millijoules per instance as bars, a panel per workload and thread count of one device's rows.
    A cross at the bottom is a row without energy."""
    style.apply()
    best = energy_rows(usual_batches(rows))
    device = rows["device"].iloc[0]
    measured = set(best["system"])
    systems = [s for s in style.SYSTEMS if s in measured]
    panels = sorted(set(zip(best["workload"], best["threads"], strict=True)))
    figure = Figure(figsize=(7.0, 0.8 + 1.9 * len(panels)))
    for i, (workload, threads) in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, i + 1)
        part = best[(best["workload"] == workload) & (best["threads"] == threads)]
        _bars(axes, part, systems)
        axes.set_ylabel("mJ per instance")
        axes.set_title(f"{workload}{threads_of(device, threads)}", loc="left")
    style.legend(figure, systems, device, device_title(rows))
    return figure


def _bars(axes: matplotlib.axes.Axes, part: pd.DataFrame, systems: list[str]) -> None:
    axes.set_yscale("log")
    groups = list(part.groupby(CELL, observed=True))
    width = 0.8 / len(systems)
    bottom = axes.get_xaxis_transform()
    for g, (_, cell) in enumerate(groups):
        for n, system in enumerate(systems):
            x = g + (n - (len(systems) - 1) / 2) * width
            row = cell[(cell["system"] == system) & cell["known"]]
            colour = style.COLOURS[system]
            if row.empty:
                axes.scatter(x, 0.04, s=20, color=colour, marker="x", transform=bottom)
            else:
                height = 1e3 * row["joules"].iloc[0]
                axes.bar(x, height, width * 0.9, color=colour)
                text = f"{height:.2g}" if height < 10 else f"{height:.0f}"
                axes.text(x, height * 1.06, text, ha="center", va="bottom", fontsize=6)
    axes.set_xticks(range(len(groups)), [f"{key[1]}, batch {key[2]}" for key, _ in groups])
    # Bars have no natural beginning here; the shortest one is still to be seen.
    low, high = axes.get_ylim()
    axes.set_ylim(low / 2, high * 1.5)
    style.log_ticks(axes)
