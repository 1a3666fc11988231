"""Figure F2 and its table: the ablation ladder, one more optimisation on each rung."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import style
from .cells import Ratio, cell_columns, digits, value
from .content import Content, Table
from .devices import device_title, threads_of
from .ladder import Ladder, Rung, ladder_rows, ladders
from .leave_one_out import leave_one_out_table, losses
from .panels import pages
from .shown import Shown
from .spread import ends, status_of, unstable, whisker

_COUNTS = ("n_nodes", "n_batches", "n_kernel_calls", "n_syncs")
# Heights in inches: of a line, around a panel's lines, above all panels, and below them.
_LINE, _AROUND, _HEAD, _FOOT = 0.105, 0.34, 0.42, 0.2
# The effect of the last step, distinguishable in colour and in grey; safe for colour blindness.
_LOOKS: dict[str, dict[str, Any]] = {
    "": {"facecolor": "#bbbbbb"},
    "gain": {"facecolor": "#0072B2"},
    "loss": {"facecolor": "#D55E00", "hatch": "//////"},
    "no difference": {"facecolor": "white"},
}
_MEANINGS = {
    "gain": "the option gains",
    "loss": "the option loses",
    "no difference": "no difference: its interval includes 1",
}
# Numbers beside the bars: each heading, and the right end of its column (in widths of the axes).
_COLUMNS = {"total": 0.18, "ms": 0.44, "batches": 0.72, "calls": 1.0}
# Relative widths of the bars and of the numbers beside them.
_WIDTHS = (1.25, 1.0)


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """F2, if anything was measured with all options off, or with all options on except one."""
    tables, figures = [], []
    if len(ladder_rows(rows)):
        tables, figures = [Table(ablation_table(rows))], ablation_figures(rows)
    left_out = leave_one_out_table(rows)
    if len(left_out):
        about = "Everything on but what stands there."
        tables.append(Table(left_out, losses(left_out), suffix="_without", more=about))
    return Content(tables, figures)


def ablation_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per rung: its time, and its gain over the previous rung and over all options off."""
    lines = []
    for ladder in ladders(rows):
        for rung in ladder.rungs:
            line = cell_columns(ladder.cell) | {"rung": rung.name}
            line["ms"] = value(rung.row, "median_ms")
            for name, interval in (("step", rung.step), ("total", rung.total)):
                line[name] = Ratio(interval) if interval else "-"
            known = rung.row["valid"]
            line |= {column: int(rung.row[column]) if known else "-" for column in _COUNTS}
            lines.append(line)
    return pd.DataFrame(lines)


def ablation_figures(rows: pd.DataFrame) -> list[Figure]:
    """For each cell, the speed-up over all options off, rung by rung, on a common logarithmic
    scale. Whiskers are 95% bootstrap intervals, colours show the effect of the rung's own option,
    and the numbers beside the bars are the time, the batches and the kernel calls."""
    style.apply()
    found = ladders(rows)
    most = max(len(ladder.rungs) for ladder in found)
    columns = 1 if len(found) == 1 else 2
    height = _AROUND + _LINE * most
    room = columns * int((style.TALLEST - _HEAD - _FOOT) / height)
    return [
        _page(rows, page, columns, height, _scale(found))
        for page in pages(found, room)
    ]  # fmt: skip


def _scale(found: Sequence[Ladder]) -> tuple[float, float]:
    known = [r.total for ladder in found for r in ladder.rungs if r.total is not None]
    reached = [end for interval in known for end in ends(interval)]
    return min([1.0, *reached]) / 1.1, max([2.0, *reached]) * 1.1


def _page(
    rows: pd.DataFrame,
    page: Sequence[Ladder],
    columns: int,
    height: float,
    scale: tuple[float, float],
) -> Figure:
    lines = -(-len(page) // columns)
    width = style.COLUMN if columns == 1 else style.PAGE
    figure = Figure(figsize=(width, _HEAD + _FOOT + lines * height))
    device = rows["device"].iloc[0]
    cells = figure.add_gridspec(lines, 2 * columns, width_ratios=_WIDTHS * columns)
    for i, ladder in enumerate(page):
        line, column = divmod(i, columns)
        axes = figure.add_subplot(cells[line, 2 * column])
        numbers = figure.add_subplot(cells[line, 2 * column + 1], sharey=axes)
        numbers.set_axis_off()
        names = [r.name for r in ladder.rungs]
        # Omit the names if the panel to the left shows the same ones.
        named = i % columns == 0 or names != [r.name for r in page[i - 1].rungs]
        _panel(axes, numbers, ladder, named)
        axes.set_xlim(scale)
        style.log_ticks(axes, "{x:g}x", vertical=False)
        workload, size, batch, threads = ladder.cell
        title = f"{style.wide(str(workload))}, {size}, batch {batch}{threads_of(device, threads)}"
        axes.set_title(title, loc="left")
        last = i + columns >= len(page)
        axes.tick_params(axis="x", labelbottom=last)
        if last:
            axes.set_xlabel("speed-up over the first rung with a time")
    effects = [e for e in _MEANINGS if any(r.effect == e for a in page for r in a.rungs)]
    handles: list[Artist] = [
        Patch(**_LOOKS[e], edgecolor="black", linewidth=0.3, label=_MEANINGS[e]) for e in effects
    ]
    if any(_doubtful(r) for a in page for r in a.rungs):
        handles.append(style.unstable_sign())
    style.legend(figure, handles, device_title(rows))
    return figure


def _panel(axes: Axes, numbers: Axes, ladder: Ladder, named: bool) -> None:
    axes.set_xscale("log")
    axes.grid(axis="x")
    axes.grid(False, axis="y")
    places = range(len(ladder.rungs))
    for place, rung in zip(places, ladder.rungs, strict=True):
        _rung(axes, numbers, place, rung)
    axes.set_yticks(places, [r.name for r in ladder.rungs] if named else [""] * len(places))
    axes.tick_params(axis="y", length=0)
    axes.axvline(1.0, color="black", linewidth=0.6)
    axes.set_ylim(len(places) - 0.4, -1.5)
    for heading, x in _COLUMNS.items():
        _beside(numbers, x, -1, heading)


def _rung(axes: Axes, numbers: Axes, place: int, rung: Rung) -> None:
    row = rung.row
    if not row["valid"]:
        axes.annotate(style.meaning(status_of(row)), (1.0, place), (2, 0), va="center_baseline",
                      textcoords="offset points", fontsize=style.SMALL)  # fmt: skip
        return
    total = rung.total
    if total is not None:
        look: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.3, **_LOOKS[rung.effect]}
        axes.barh(place, total.value - 1, 0.75, left=1.0, **look)
        axes.errorbar(total.value, place, xerr=whisker(total), capsize=1.2, **style.WHISKER)
        if unstable(row):
            axes.annotate("•", (ends(total)[1], place), (2.5, 0), textcoords="offset points",
                          ha="left", va="center", fontsize=style.SMALL)  # fmt: skip
    texts = {
        "total": _short(total.value) + "x" if total else "1x",
        "ms": digits(row["median_ms"]),
        "batches": f"{row['n_batches']:.0f}",
        "calls": f"{row['n_kernel_calls']:.0f}",
    }
    for heading, text in texts.items():
        _beside(numbers, _COLUMNS[heading], place, text)


def _beside(axes: Axes, x: float, place: float, text: str) -> None:
    axes.text(x, place, text, transform=axes.get_yaxis_transform(), ha="right",
              va="center_baseline", fontsize=style.SMALL)  # fmt: skip


def _doubtful(rung: Rung) -> bool:
    return bool(rung.row["valid"]) and unstable(rung.row)


def _short(number: float) -> str:
    """Two significant digits, or all digits before the point."""
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"
