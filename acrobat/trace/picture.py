"""A trace as a picture: instances down, batches across; below, the threads over time."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import numpy as np

from ..runtime.watched_call import ACTIVITIES
from .tables import Tables

# Okabe and Ito's colours (2008), which colour-blind people can tell apart; further blocks get hues
# at the golden angle.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
_GREYS = {
    "control flow": "#777777",
    "scheduling": "#AAAAAA",
    "gather copies": "#000000",
    "weight gradients": "#444444",
}
_GREY_NAMES = {
    "control flow": "grey",
    "scheduling": "light grey",
    "gather copies": "black",
    "weight gradients": "dark grey",
}
_LEFT, _TOP, _GAP, _LANE, _FONT = 92.0, 30.0, 44.0, 20.0, 11.0
_WIDTH = 1000.0  # of the batches and of the time axis, unless there are very many batches
_STYLE = (
    "text{font-family:sans-serif;font-size:11px;fill:#222}"
    ".small{font-size:9px;fill:#666}"
    ".n{font-size:9px;fill:#fff;pointer-events:none}"
    ".grid{stroke:#ddd;stroke-width:.5}.stop{stroke:#222;stroke-dasharray:3 2}"
)


@dataclass(slots=True)
class Picture:
    """An SVG drawing under construction; sizes are in pixels. Elements of a batch have its number
    as `data-batch`."""

    width: float = 0.0
    height: float = 0.0
    parts: list[ET.Element] = field(default_factory=list)

    def rect(
        self, box: tuple[float, float, float, float], colour: str, said: str, batch: int | None
    ) -> None:
        """Add a rectangle (x, y, width, height) with the tooltip `said`."""
        x, y, width, height = (f"{v:.2f}" for v in box)
        of = {} if batch is None else {"data-batch": str(batch)}
        place = {"x": x, "y": y, "width": width, "height": height}
        element = ET.Element("rect", {**place, "fill": colour, **of})
        ET.SubElement(element, "title").text = said
        self.parts.append(element)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Add a line of the class `kind` of the style sheet."""
        ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        self.parts.append(
            ET.Element("line", {k: f"{v:.2f}" for k, v in ends.items()} | {"class": kind})
        )

    def text(self, x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> None:
        """Add text whose baseline is at y."""
        said = {"x": f"{x:.2f}", "y": f"{y:.2f}", "text-anchor": anchor}
        element = ET.Element("text", said | ({"class": kind} if kind else {}))
        element.text = text
        self.parts.append(element)

    def svg(self) -> str:
        """Return the document."""
        size = {"width": f"{self.width:.0f}", "height": f"{self.height:.0f}"}
        root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                **size,
                "viewBox": f"0 0 {self.width:.0f} {self.height:.0f}",
            },
        )
        ET.SubElement(root, "style").text = _STYLE
        ET.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "#fff"})
        root.extend(self.parts)
        return ET.tostring(root, encoding="unicode") + "\n"


def colour_of(block: int) -> str:
    """The colour of a static block, by number."""
    if block < len(_COLOURS):
        return _COLOURS[block]
    red, green, blue = colorsys.hls_to_rgb(block * 0.381966 % 1, 0.45 + 0.15 * (block % 2), 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def draw(model: str, blocks: Sequence[str], places: Sequence[str], tables: Tables) -> Picture:
    """Draw a trace: `blocks` and `places` describe each static block and give its place in the
    source."""
    picture = Picture()
    said = [
        f"{blocks[b['block']]}\n{places[b['block']]}\nbatch {i}: {b['n']} nodes, depth "
        f"{b['depth']}, phase {b['phase']}, computation {b['computation']}"
        for i, b in enumerate(tables.batches)
    ]
    column = min(max(_WIDTH / max(len(tables.batches), 1), 2.0), 24.0)
    width = max(column * len(tables.batches), _WIDTH / 2)
    bottom = _draw_batches(picture, tables, said, column)
    bottom = _draw_threads(picture, tables, said, width, bottom + _GAP)
    used = sorted(set(tables.batches["block"].tolist()))
    y = bottom + 24
    for block in used:
        picture.rect((_LEFT, y - 9, 10, 10), colour_of(block), blocks[block], None)
        picture.text(_LEFT + 16, y, f"{blocks[block]}   {places[block]}")
        y += 16
    longest = max((len(blocks[b]) + len(places[b]) for b in used), default=0)
    picture.text(_LEFT, 14, f"{model}: instances down, batches across")
    picture.width = _LEFT + max(width, longest * _FONT * 0.6) + 24
    picture.height = y
    return picture


def _draw_batches(picture: Picture, tables: Tables, said: Sequence[str], column: float) -> float:
    """Draw which instance has nodes in which batch. Returns the y at which the drawing ends."""
    row = min(max(480 / max(tables.instances, 1), 4.0), 18.0)
    end = _TOP + row * tables.instances
    every = math.ceil(_FONT / row)
    for i in range(0, tables.instances, every):
        picture.text(_LEFT - 6, _TOP + row * i + row / 2 + 4, f"instance {i}", "end")
    for cell in tables.cells:
        batch, instance, n = int(cell["batch"]), int(cell["instance"]), int(cell["n"])
        if batch < 0:
            continue
        box = (_LEFT + column * batch, _TOP + row * instance, column * 0.92, row * 0.92)
        own = f"instance {instance}: {n} node{'s' * (n != 1)}\n{said[batch]}"
        picture.rect(box, colour_of(int(tables.batches["block"][batch])), own, batch)
        if n > 1 and column >= 14 and row >= 11:
            picture.text(box[0] + column / 2, box[1] + row / 2 + 3, str(n), "middle", "n")
    # Decisions are made between two computations; a mark shows which instances waited for the
    # first.
    computations = tables.batches["computation"]
    for first in np.flatnonzero(np.diff(computations)).tolist():
        x = _LEFT + column * (first + 0.96)
        picture.line(x, _TOP - 4, x, end + 4, "stop")
    ends = {int(c): int(np.flatnonzero(computations == c)[-1]) for c in np.unique(computations)}
    for instance, computation in np.unique(tables.waits).tolist():
        if computation in ends:
            x = _LEFT + column * (ends[computation] + 0.96)
            box = (x - 1.5, _TOP + row * instance + row * 0.25, 3.0, row * 0.42)
            picture.rect(box, "#222222", f"instance {instance} waits here for a value", None)
    step = max(1, math.ceil(30 / column))
    for batch in range(0, len(tables.batches), step):
        picture.text(_LEFT + column * (batch + 0.46), end + 14, str(batch), "middle", "small")
    picture.text(_LEFT - 6, end + 14, "batch", "end", "small")
    return end + 14


def _draw_threads(
    picture: Picture, tables: Tables, said: Sequence[str], width: float, top: float
) -> float:
    """Draw what threads did over time. Returns the y at which the drawing ends."""
    if len(tables.spans) == 0:
        return top - _GAP
    threads = int(tables.spans["thread"].max()) + 1
    scale = width / max(int(tables.spans["end"].max()), 1)
    for thread in range(threads):
        y = top + _LANE * thread
        picture.text(_LEFT - 6, y + _LANE * 0.65, f"thread {thread}", "end")
    for span in tables.spans:
        batch, activity = int(span["batch"]), ACTIVITIES[span["activity"]]
        took = f"{(span['end'] - span['begin']) / 1e3:.1f} us"
        text, colour = f"{activity}: {took}", _GREYS.get(activity, "")
        if batch >= 0:
            of = f"about {span['nodes']} of its nodes, " if span["nodes"] else ""
            text = f"{activity}: {of}{took}\n{said[batch]}"
            colour = colour or colour_of(int(tables.batches["block"][batch]))
        y = top + _LANE * int(span["thread"])
        length = max(float(span["end"] - span["begin"]) * scale, 0.3)
        picture.rect(
            (_LEFT + float(span["begin"]) * scale, y, length, _LANE * 0.86),
            colour,
            text,
            batch if batch >= 0 else None,
        )
    end = top + _LANE * threads
    last = int(tables.spans["end"].max()) / 1e3
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _LEFT + width * share
        picture.line(x, top - 3, x, end + 3, "grid")
        picture.text(x, end + 14, f"{last * share:.0f} us", "middle", "small")
    # Few calls run backward, so that activity is named only where it occurs.
    there = {ACTIVITIES[n] for n in np.unique(tables.spans["activity"])} | set(ACTIVITIES[:4])
    names = {n: colour for n, colour in _GREY_NAMES.items() if n in there}
    grey = ", ".join(f"{colour} is {name}" for name, colour in names.items())
    picture.text(_LEFT, top - 8, f"threads over time; {grey}", kind="small")
    return end + 14
