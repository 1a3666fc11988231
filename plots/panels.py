"""Figures of many panels, in print size: a panel per model size, batch size and thread count, with
the workloads side by side in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import style
from .devices import threads_of

_T = TypeVar("_T")
# Up to this many panels are stacked in one column of a paper.
_FEW = 2


@dataclass(frozen=True, slots=True)
class Panel:
    """The rows of one model size, thread count and batch size."""

    size: str
    threads: int
    batch: int
    rows: pd.DataFrame

    @property
    def title(self) -> str:
        """The panel's title, such as "small, batch 8, 2 threads"."""
        threads = threads_of(self.rows["device"].iloc[0], self.threads)
        return f"{self.size}, batch {self.batch}{threads}"


def panels_of(rows: pd.DataFrame) -> list[Panel]:
    """The panels of all rows, small models first, batch sizes next to each other."""
    by = ["model_size", "threads", "batch_size"]
    found = []
    for _, part in rows.groupby(by, observed=True):
        size, threads, batch = part.iloc[0][by]
        found.append(Panel(size, threads, batch, part))
    return found


def pages(items: Sequence[_T], room: int) -> list[Sequence[_T]]:
    """`items` on as few pages as possible with `room` items each, evenly but for the last page."""
    count = -(-len(items) // room)
    each = -(-len(items) // max(1, count))
    return [items[i : i + each] for i in range(0, len(items), max(1, each))]


def grid(
    panels: Sequence[Panel], height: float, head: float, foot: float
) -> list[tuple[Figure, list[tuple[Panel, Axes]]]]:
    """Figures with axes for `panels`, which share their scales. Each panel is `height` inches high;
    `head` is the space for the legend, `foot` the space below the last panels. Panels that do not
    fit on a page are spread over several figures."""
    columns = 1 if len(panels) <= _FEW else 2
    width = style.COLUMN if columns == 1 else style.PAGE
    room = int((style.TALLEST - head - foot) / height) * columns
    made = []
    for page in pages(panels, room):
        lines = -(-len(page) // columns)
        figure = Figure(figsize=(width, head + lines * height + foot))
        axes: list[Axes] = []
        for i, panel in enumerate(page):
            share = axes[0] if axes else None
            axes.append(figure.add_subplot(lines, columns, i + 1, sharex=share, sharey=share))
            axes[-1].set_title(panel.title, loc="left")
            # Names and numbers are shown only at the edges.
            axes[-1].tick_params(labelbottom=i + columns >= len(page), labelleft=i % columns == 0)
        made.append((figure, list(zip(page, axes, strict=True))))
    return made
