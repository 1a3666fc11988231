"""A panel of figure F1: workloads side by side, and their geometric mean."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from harness.intervals import Interval, Timing, mean_interval

from . import style
from .cells import interval as ratio_of
from .means import origin
from .panels import Panel
from .spread import ends, status_of, unstable, whisker

# Letters in place of bars that cannot be shown.
LETTERS = {
    "unsupported": "u",
    "error": "e",
    "oom": "m",
    "timeout": "t",
    "skipped": "s",
    "wrong": "w",
}
# Distance between bars, in points, that a number on each bar needs.
_NUMBER = 7.5
# The approximate fraction of a panel's width that its axes take.
_INNER = 0.88

# For each opponent, by the origins of both rows: the positions of groups, and the times.
_Pairs = dict[str, dict[object, list[tuple[float, tuple[Timing, Timing]]]]]


class SpeedupPanel:
    """A panel, which draws itself. `intervals`, `statuses`, `unstable` and `left_out` say what the
    legend must explain; `texts`, each with the speed-up at its base, need room on the scale."""

    def __init__(
        self, axes: Axes, panel: Panel, opponents: Sequence[str], workloads: Sequence[str]
    ) -> None:
        self.axes, self.panel, self.opponents = axes, panel, opponents
        self.intervals: list[Interval] = []
        self.texts: list[tuple[Annotation, float]] = []
        self.statuses: set[str] = set()
        self.unstable = self.left_out = False
        count = len(opponents)
        group = count + 1
        end = len(workloads) * group
        # Points for the bars; bars of means may be wider than others, since each has a number.
        points = 72 * _INNER * axes.get_subplotspec().get_gridspec().figure.get_figwidth()  # type: ignore[union-attr]
        points /= axes.get_subplotspec().get_gridspec().ncols  # type: ignore[union-attr]
        self.numbers = points / (end + group) >= _NUMBER
        wide = 1.0 if self.numbers else _NUMBER * end / (points - group * _NUMBER)
        pairs: _Pairs = {name: {} for name in opponents}
        for g, workload in enumerate(workloads):
            cell = panel.rows[panel.rows["workload"] == workload]
            if len(cell):
                self._group(g * group, cell, pairs)
        self._means(end + (wide - 1) / 2, wide, pairs)
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.axvline(end - 1, color="#888888", linewidth=0.5, linestyle=":")
        middles = [g * group + (count - 1) / 2 for g in range(len(workloads))]
        middles.append(end + (wide - 1) / 2 + (count - 1) / 2 * wide)
        axes.set_xticks(middles, [*map(style.narrow, workloads), "geo.\nmean"])
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-1, end + count * wide)

    def _group(self, start: float, cell: pd.DataFrame, pairs: _Pairs) -> None:
        """Draw the bars of a workload; a cell without acrobat's time says why."""
        rows = {row["system"]: row for _, row in cell.iterrows()}
        ours = rows.get("acrobat")
        if ours is None or not ours["valid"]:
            why = "not measured" if ours is None else style.meaning(status_of(ours))
            self._text(start + (len(self.opponents) - 1) / 2, 1.0, f"acrobat: {why}", 3)
            return
        missing: list[tuple[float, str, str]] = []
        for n, name in enumerate(self.opponents):
            theirs = rows.get(name)
            if theirs is None:
                continue
            if not theirs["valid"]:
                missing.append((start + n, name, status_of(theirs)))
                continue
            interval = ratio_of(theirs, ours)
            assert interval is not None
            if theirs["samples_ms"] and ours["samples_ms"]:
                of = pairs[name].setdefault((origin(theirs), origin(ours)), [])
                of.append((start, (Timing.of(theirs), Timing.of(ours))))
            doubt = unstable(theirs) or unstable(ours)
            self._bar(start + n, 1.0, name, interval, doubt)
            if self.numbers:
                self._number(start + n, interval, "", doubt)
        self._letters(missing)

    def _letters(self, missing: Sequence[tuple[float, str, str]]) -> None:
        """Draw a cross per missing bar, and one letter above neighbours with the same reason."""
        runs: list[tuple[list[float], str]] = []
        for x, name, status in missing:
            self.statuses.add(status)
            self.axes.plot(x, 1.0, "x", color=style.colour(name), markersize=2.5, zorder=3,
                           markeredgewidth=0.7)  # fmt: skip
            if runs and runs[-1][1] == status and runs[-1][0][-1] == x - 1:
                runs[-1][0].append(x)
            else:
                runs.append(([x], status))
        raised = False
        for n, (run, status) in enumerate(runs):
            # A letter may be wider than a bar, so letters of neighbours alternate in height.
            raised = n > 0 and runs[n - 1][0][-1] == run[0] - 1 and not raised
            middle, above = sum(run) / len(run), 10 if raised else 2
            self._text(middle, 1.0, LETTERS[status], above, rotation=0)

    def _means(self, start: float, wide: float, pairs: _Pairs) -> None:
        """Draw a bar per opponent: the mean over the largest set of cells whose rows come from one
        machine and the same sources."""
        means = [max(of.values(), key=len, default=[]) for of in pairs.values()]
        most = max(map(len, means), default=0)
        for n, cells in enumerate(means):
            if cells:
                x, interval = start + n * wide, mean_interval([pair for _, pair in cells])
                self._bar(x, wide, self.opponents[n], interval, False)
                less = f" n={len(cells)}" if len(cells) < most else ""
                self._number(x, interval, less, False)
        if most:
            self.axes.set_title(f"{self.panel.title} (n={most})", loc="left")
        kept = {(n, place) for n, cells in enumerate(means) for place, _ in cells}
        every = {(n, place) for n, of in enumerate(pairs.values())
                 for cells in of.values() for place, _ in cells}  # fmt: skip
        for start in sorted({place for _, place in every - kept}):
            self.left_out = True
            self.axes.text(start + (len(self.opponents) - 1) / 2, 0.01, "†", ha="center",
                           transform=self.axes.get_xaxis_transform(), va="bottom",
                           fontsize=style.SMALL)  # fmt: skip

    def _bar(self, x: float, width: float, name: str, interval: Interval, doubt: bool) -> None:
        look = style.bar(name)
        if interval.holds(1.0):
            look |= {"facecolor": "white", "edgecolor": style.colour(name), "hatch": ""}
            look |= {"linewidth": 0.6}
        self.axes.bar(x, interval.value - 1, 0.9 * width, bottom=1.0, **look)
        self.axes.errorbar(x, interval.value, whisker(interval), capsize=0.9, **style.WHISKER)
        self.intervals.append(interval)
        if doubt:
            self.unstable = True
            self._text(x, max(1.0, *ends(interval)), "•", 0.5, rotation=0)

    def _number(self, x: float, interval: Interval, after: str, doubt: bool) -> None:
        number = f"{interval.value:.2f}" if interval.value < 10 else f"{interval.value:.0f}"
        above = 7 if doubt else 2.5
        self._text(x, max(1.0, *ends(interval)), number + after, above)

    def _text(self, x: float, base: float, text: str, above: float, rotation: int = 90) -> None:
        drawn = self.axes.annotate(text, (x, base), (0, above), textcoords="offset points",
                                   rotation=rotation, ha="center", va="bottom",
                                   fontsize=style.SMALL)  # fmt: skip
        self.texts.append((drawn, base))
