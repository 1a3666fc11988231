"""The trace of a mini-batch: which instance recorded which node, the batches, the threads."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ..ir import batched as B
from ..runtime.profile import Profile
from ..runtime.watched_call import ACTIVITIES, Records, WatchedCall
from .chrome import chrome_events
from .page import page
from .picture import Picture, draw

# A picture with more cells is too large to look at, and for most viewers to open.
MOST_CELLS = 100_000


@dataclass(frozen=True, slots=True)
class BlockText:
    """A static block as text: its operations, and the place of the first one in the source."""

    name: str
    operations: str
    place: str
    line: str

    def __str__(self) -> str:
        return f"{self.name}: {self.operations}"


@dataclass(frozen=True, eq=False)
class Trace:
    """One mini-batch, node by node and batch by batch; `fast.trace` makes it.

    The arrays are structured numpy arrays. `nodes`, in order of creation: `instance`, `batch`.
    `batches`, in the order in which they ran: `n` (how many nodes), `block` (an index of `blocks`),
    `computation`, `phase`, `depth`. `spans`, what threads did: `begin` and `end` in nanoseconds
    since the call began, `thread`, `activity` (an index of `ACTIVITIES`), `batch` (-1: none) and
    `nodes` (about how many of the batch; 0: all); there are none for the work of a GPU. `waits`:
    the `instance`s that waited for a `computation`, which is everything that runs between two
    decisions; an instance that waited in several branches has one entry for each.
    """

    model: str
    blocks: tuple[BlockText, ...]
    profile: Profile
    instances: int
    nodes: Records
    batches: Records
    spans: Records
    waits: Records

    @cached_property
    def cells(self) -> Records:
        """The number of nodes of an instance in a batch, if not zero: `instance`, `batch`, `n`."""
        kind = np.dtype([("instance", "i4"), ("batch", "i4"), ("n", "i8")])
        pairs, counts = np.unique(self.nodes[["instance", "batch"]], return_counts=True)
        cells = np.empty(len(pairs), dtype=kind)
        cells["instance"], cells["batch"], cells["n"] = pairs["instance"], pairs["batch"], counts
        return cells

    def save(self, path: str | Path) -> Path:
        """Write the trace in the format that the suffix of the name selects: `.svg` is a picture,
        `.html` a page with the picture that highlights what belongs together, and `.json` a file
        for chrome://tracing and ui.perfetto.dev. Returns the path. ValueError for another suffix,
        or if the trace is too large for a picture."""
        path = Path(path)
        writers = {".svg": self.svg, ".html": self.html, ".json": self.chrome}
        if path.suffix not in writers:
            raise ValueError(
                f"{path}: a trace is written as {', '.join(writers)}; choose one by the name's end"
            )
        text = writers[path.suffix]()
        path.write_text(text, encoding="utf-8")
        return path

    def svg(self) -> str:
        """The picture: instances down, batches across, coloured by static block; below them the
        threads over time. ValueError if the trace is too large for one."""
        return self._picture().svg()

    def html(self) -> str:
        """A page with the picture, where pointing at a batch shows its nodes, its kernels and its
        source line. ValueError if the trace is too large for one."""
        return page(f"{self.model}: {self.summary}", self._picture(), self._rows())

    def chrome(self) -> str:
        """Trace events in JSON, in the format of chrome://tracing: a row for each thread and one
        for each instance."""
        return chrome_events(self.model, [str(b) for b in self.blocks], self)

    @property
    def summary(self) -> str:
        """How many instances, nodes, batches and stops for decisions there were."""
        return (
            f"{_count(self.instances, 'instance')}, {_count(len(self.nodes), 'node')} in "
            f"{_count(len(self.batches), 'batch', 'es')}, "
            f"{_count(self.profile.n_syncs, 'stop')} for decisions"
        )

    def _picture(self) -> Picture:
        if len(self.cells) > MOST_CELLS:
            raise ValueError(
                f"{self.model}: {_count(len(self.cells), 'cell')} are too many for a picture, "
                f"which has {MOST_CELLS} at most; trace fewer instances, or write .json"
            )
        return draw(self.model, [str(b) for b in self.blocks], [b.place for b in self.blocks], self)

    def _rows(self) -> list[tuple[str, str, str, int, int, int]]:
        """For each block: name, place, line, and numbers of nodes, batches, and batches of one
        node."""
        rows = []
        for number, block in enumerate(self.blocks):
            sizes = self.batches["n"][self.batches["block"] == number]
            counts = (int(sizes.sum()), len(sizes), int((sizes == 1).sum()))
            rows.append((str(block), block.place, block.line, *counts))
        return rows


def trace_call(model: str, blocks: Sequence[B.Block], call: WatchedCall) -> Trace:
    """The trace of a call of a compiled model that has these static blocks."""
    arrays = (call.nodes, call.batches, call.spans, call.waits)
    texts = tuple(_text(block) for block in blocks)
    return Trace(model, texts, call.profile, call.instances, *arrays)


def _text(block: B.Block) -> BlockText:
    operations = ", ".join(dict.fromkeys(o.op.name for o in block.ops)) or "copy"
    if not block.ops:
        return BlockText(block.name, operations, "", "")
    span = block.ops[0].span
    line = linecache.getline(span.file, span.line).strip()
    path, here = Path(span.file), Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return BlockText(block.name, operations, f"{shown}:{span.line}", line)


def _count(n: int, what: str, plural: str = "s") -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}{plural}"


__all__ = ["ACTIVITIES", "BlockText", "Trace", "trace_call"]
