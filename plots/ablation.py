"""Figure F2 and its table: the ablation ladder, one more optimisation on each rung."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from . import style
from .cells import value
from .devices import device_title, threads_of
from .rows import CELL, valid

_COUNTS = ("n_nodes", "n_batches", "n_kernel_calls", "n_syncs")


def ladder_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rungs of every cell, from all off to all on; `rung` says what each turns on, `order` is
    its place. Empty if nothing was measured with everything off."""
    ours = rows[rows["system"] == "acrobat"]
    rungs = ours[ours["variant"].eq("off") | ours["variant"].str.startswith("off+")].copy()
    rungs["order"] = rungs["variant"].map(lambda v: len(_options(v)))
    rungs["rung"] = rungs["variant"].map(
        lambda v: "+ " + _options(v)[-1] if "+" in v else "all off"
    )
    cells = rungs[CELL].drop_duplicates()
    full = ours[ours["variant"].eq("full")].merge(cells, on=CELL)
    full["order"], full["rung"] = 1000, "all on"
    found = pd.concat([rungs, full]).sort_values([*CELL, "order"], kind="stable")
    return found.assign(valid=valid(found)).reset_index(drop=True)


def _options(variant: str) -> list[str]:
    return variant.split("+")[1].split(",") if "+" in variant else []


def _short(number: float) -> str:
    """Two digits, or all before the point."""
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def ablation_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per rung: its time, what it gains over the rung before, and over all off."""
    lines = []
    for cell, part in ladder_rows(rows).groupby(CELL, observed=True, sort=False):
        before = first = None
        for _, row in part.iterrows():
            line: dict[str, object] = dict(
                zip(("workload", "size", "batch", "threads"), cell, strict=True)
            )
            line["rung"] = row["rung"]
            if not row["valid"]:
                line |= {"ms": value(row, "median_ms"), "step": "-", "total": "-"}
                line |= dict.fromkeys(_COUNTS, "-")
                lines.append(line)
                continue
            time = row["median_ms"]
            line["ms"] = value(row, "median_ms")
            line["step"] = f"{before / time:.2f}" if before else "-"
            line["total"] = f"{first / time:.2f}" if first else "-"
            line |= {column: int(row[column]) for column in _COUNTS}
            before, first = time, first or time
            lines.append(line)
    return pd.DataFrame(lines)


def ablation_figure(rows: pd.DataFrame) -> Figure:
    """Per cell the speed-up over everything off, rung by rung; a rung that failed is left out."""
    style.apply()
    groups = list(ladder_rows(rows).groupby(CELL, observed=True, sort=False))
    columns = 2
    lines = -(-len(groups) // columns)
    figure = Figure(figsize=(7.0, 0.4 + 2.6 * lines))
    for n, (cell, part) in enumerate(groups):
        axes = figure.add_subplot(lines, columns, n + 1)
        part = part[part["valid"]]
        speedups = part["median_ms"].iloc[0] / part["median_ms"] if len(part) else []
        places = range(len(part))
        axes.barh(places, speedups, color=style.COLOURS["acrobat"])
        for place, speedup in zip(places, speedups, strict=True):
            axes.text(speedup, place, f" {_short(speedup)}x", va="center", fontsize=6)
        axes.set_yticks(places, part["rung"], fontsize=6)
        axes.invert_yaxis()
        axes.margins(x=0.15)
        workload, size, batch, threads = cell
        device = rows["device"].iloc[0]
        title = f"{workload} {size}, batch {batch}{threads_of(device, threads)}"
        axes.set_title(title, loc="left", fontsize=8)
        first = part["rung"].iloc[0] if len(part) else "all off"
        axes.set_xlabel(f"speed-up over {first.removeprefix('+ ')}", fontsize=7)
    figure.suptitle(device_title(rows), fontsize=8)
    return figure
