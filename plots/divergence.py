"""Figure F7 and its table: the speed-up as the instances of a mini-batch diverge more and more
(`workloads.divergent`).

A contender is a system with its best variant; for a system batched by hand, running every instance
for the maximum number of steps is a separate contender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import baselines
import workloads
from harness.intervals import Interval

from . import style
from .cells import by_cell, interval, ratio, time
from .content import Content, Table
from .devices import device_title, threads_of
from .panels import pages
from .rows import best_variants, limits
from .shown import Shown
from .spread import ends, unstable, whisker

_MAXIMUM = "maximum"
_ACROBAT = ("acrobat", False)
# Heights of a panel, the legend, and the axis below in inches.
_PANEL, _HEAD, _FOOT = 1.6, 0.7, 0.2

# A system, and whether its variant runs all instances to the maximum.
Contender = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Point:
    """The rows of a workload at one setting of the knob, by contender. `divergence` is in per
    cent."""

    workload: str
    size: str
    batch: int
    threads: int
    divergence: int
    rows: Mapping[Contender, pd.Series]

    @property
    def curve(self) -> tuple[str, str, int, int]:
        """The fields that are constant along a curve."""
        return self.workload, self.size, self.batch, self.threads


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """F7, if any workload has a knob."""
    points = points_of(rows)
    if not points:
        return Content()
    return Content([Table(divergence_table(points))], divergence_figures(rows, points))


def points_of(rows: pd.DataFrame) -> list[Point]:
    """One point per cell of a workload with a knob, sorted by curve and along each by the knob."""
    rows = rows[~rows["system"].isin(limits())]
    maximum = rows["variant"] == _MAXIMUM
    found: dict[tuple[object, ...], dict[Contender, pd.Series]] = {}
    for to_maximum, part in ((False, rows[~maximum]), (True, rows[maximum])):
        if part.empty:
            continue
        for cell, systems in by_cell(best_variants(part)).items():
            found.setdefault(cell, {}).update({(s, to_maximum): r for s, r in systems.items()})
    points = []
    for (workload, size, batch, threads), contenders in found.items():
        knob = _knob(str(workload), str(size))
        if knob is not None:
            name = str(size).rpartition("_")[0]
            point = Point(str(workload), name, int(str(batch)), int(str(threads)), knob, contenders)
            points.append(point)
    return sorted(points, key=lambda p: (*p.curve, p.divergence))


def _knob(workload: str, size: str) -> int | None:
    if workload not in workloads.ALL:
        return None
    return workloads.get(workload).sizes.get(size, {}).get("divergence")


def contenders_of(points: Sequence[Point]) -> list[Contender]:
    """The contenders other than acrobat, in the order of legends."""
    found = {contender for point in points for contender in point.rows}
    names = style.in_order({system for system, _ in found} - {"acrobat"})
    return [(s, m) for s in names for m in (False, True) if (s, m) in found]


def divergence_table(points: Sequence[Point]) -> pd.DataFrame:
    """A line per point: acrobat's time, and for each contender its time and acrobat's speed-up."""
    lines = []
    for point in points:
        line: dict[str, object] = {
            "workload": point.workload,
            "size": point.size,
            "batch": point.batch,
            "threads": point.threads,
            "divergence": f"{point.divergence}%",
        }
        ours = point.rows.get(_ACROBAT)
        line["acrobat ms"] = time(ours)
        for contender in contenders_of(points):
            system, to_maximum = contender
            title = baselines.record(system).title + (" to the maximum" if to_maximum else "")
            theirs = point.rows.get(contender)
            line[f"{title} ms"] = time(theirs)
            line[f"speed-up over {title}"] = ratio(theirs, ours)
        lines.append(line)
    return pd.DataFrame(lines)


def divergence_figures(rows: pd.DataFrame, points: Sequence[Point]) -> list[Figure]:
    """A panel per workload, size, batch and thread count of one device's rows: acrobat's speed-up
    over every contender against the knob, with 95% bootstrap intervals. A hollow point comes from a
    row that may be unstable."""
    style.apply()
    contenders = contenders_of(points)
    curves: dict[tuple[str, str, int, int], list[Point]] = {}
    for point in points:
        curves.setdefault(point.curve, []).append(point)
    labels = style.labels(style.in_order({s for s, _ in contenders}), rows)
    handles = [
        Line2D([], [], **_line(c), label=labels[c[0]] + (", to the maximum" if c[1] else ""))
        for c in contenders
    ]
    if any(unstable(row) for p in points for row in p.rows.values() if row["valid"]):
        handles.append(style.sign("o", "may be unstable", hollow=True))
    figures = []
    room = 2 * int((style.TALLEST - _HEAD - _FOOT) / _PANEL)
    for page in pages(list(curves.items()), room):
        lines = -(-len(page) // 2)
        figure = Figure(figsize=(style.PAGE, _HEAD + _PANEL * lines + _FOOT))
        for n, (curve, line) in enumerate(page):
            workload, size, batch, threads = curve
            axes = figure.add_subplot(lines, 2, n + 1)
            where = threads_of(rows["device"].iloc[0], threads)
            axes.set_title(f"{style.wide(workload)}, {size}, batch {batch}{where}", loc="left")
            reached = _curves(axes, line, contenders)
            axes.set_yscale("log")
            axes.set_ylim(min([0.7, *reached]) / 1.15, max([2.0, *reached]) * 1.15)
            axes.axhline(1.0, color="black", linewidth=0.5)
            axes.set_xticks([point.divergence for point in line])
            style.log_ticks(axes, "{x:g}x")
            if n % 2 == 0:
                axes.set_ylabel("speed-up of acrobat")
            if n + 2 >= len(page):
                axes.set_xlabel("choices that are an instance's own, per cent")
        style.legend(figure, handles, device_title(rows))
        figures.append(figure)
    return figures


def _line(contender: Contender) -> dict[str, Any]:
    system, to_maximum = contender
    return style.line(system) | ({"linestyle": ":", "marker": "s"} if to_maximum else {})


def _curves(axes: Axes, line: Sequence[Point], contenders: Sequence[Contender]) -> list[float]:
    """Draw the curves; return the values that they and their whiskers reach."""
    reached: list[float] = []
    for contender in contenders:
        found: list[tuple[int, Interval, bool]] = []
        for point in line:
            theirs, ours = point.rows.get(contender), point.rows.get(_ACROBAT)
            speed_up = interval(theirs, ours)
            if speed_up is not None:
                assert theirs is not None and ours is not None
                doubt = unstable(theirs) or unstable(ours)
                found.append((point.divergence, speed_up, doubt))
        look = _line(contender)
        axes.plot([x for x, _, _ in found], [s.value for _, s, _ in found], **look)
        for x, speed_up, doubt in found:
            whiskers = style.WHISKER | {"ecolor": style.colour(contender[0])}
            axes.errorbar(x, speed_up.value, whisker(speed_up), capsize=1.5, **whiskers)
            if doubt:
                hollow = look | {"markerfacecolor": "white", "linestyle": ""}
                axes.plot(x, speed_up.value, **hollow)
            reached += ends(speed_up)
    return reached
