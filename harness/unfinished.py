"""A cell whose rows are published together, and whose measurement resumes after an interruption.

The pipeline treats a cell's folder as one result, and deletes it before producing it again: rows
that were complete when a run was killed would be lost. So rows wait in a separate folder, and the
cell's folder appears by renaming when all rows are complete. Only rows with the same settings and
the same sources are kept; of these, rows that failed are measured again.

A run may also be killed after the publication but before Snakemake records it. So the waiting rows
stay until the next run of the pipeline (`forget`).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .cell import Cell
from .environment import source_hash
from .files import only_one, write_whole
from .row import Row
from .row_file import read_row

# A folder below that of a configuration, beside `raw`.
UNFINISHED = "unfinished"
_STAMP, _WHOLE = "stamp", ".whole"
# Statuses that are worth another try.
_FAILED = ("error", "timeout", "oom", "skipped")


class Unfinished:
    """The rows of a cell that wait for the others. `place` is the cell's folder relative to the
    folder of all cells, `out` the configuration's folder, `settings` the requested settings."""

    def __init__(self, cell: Cell, place: Path, out: Path, settings: Mapping[str, Any]) -> None:
        self.cell = cell
        self.folder, self.published = out / UNFINISHED / place, out / "raw" / place
        sources = {system: source_hash(system) for system, _ in cell.systems}
        # A cell's rows must come from one machine.
        about = [socket.gethostname(), settings, sources]
        self.stamp = json.dumps(about, sort_keys=True) + "\n"

    def run(self, measure: Callable[[Cell, Callable[[Row], object]], object]) -> None:
        """Let `measure` measure the missing rows, then publish the cell; BusyError if another
        process is measuring it."""
        with only_one(self.folder, "the rows of this cell"):
            self._keep_what_holds()
            if rest := self._missing():
                measure(rest, self._write)
            self._publish()

    def _path(self, system: str, variant: str) -> Path:
        return self.folder / system / f"{variant}.json"

    def _write(self, row: Row) -> None:
        row.write(self._path(row.system, row.variant))

    def _keep_what_holds(self) -> None:
        stamp = self.folder / _STAMP
        if not stamp.is_file() or stamp.read_text(errors="replace") != self.stamp:
            for path in self.folder.iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
            write_whole(stamp, self.stamp)

    def _missing(self) -> Cell | None:
        absent = tuple(pair for pair in self.cell.systems if not self._is_there(*pair))
        return replace(self.cell, systems=absent) if absent else None

    def _is_there(self, system: str, variant: str) -> bool:
        try:
            return read_row(self._path(system, variant)).status not in _FAILED
        except (OSError, ValueError):
            return False

    def _publish(self) -> None:
        """Publish all rows at once, replacing whatever is there."""
        new = self.folder / _WHOLE
        shutil.rmtree(new, ignore_errors=True)
        for pair in self.cell.systems:
            path = self._path(*pair)
            target = new / path.relative_to(self.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(path, target)
        # If a row is damaged later, the others can be kept (`harness.published`).
        _link(self.folder / _STAMP, new / _STAMP)
        self.published.parent.mkdir(parents=True, exist_ok=True)
        if self.published.exists():
            shutil.rmtree(self.published)
        new.rename(self.published)


def forget(place: Path, out: Path) -> None:
    """Remove the waiting rows once the pipeline has recorded the published cell."""
    shutil.rmtree(out / UNFINISHED / place, ignore_errors=True)
    for folder in (out / UNFINISHED / place).parents:
        if folder == out:
            break
        with contextlib.suppress(OSError):  # Other cells still wait there.
            folder.rmdir()


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # A file system without hard links.
        shutil.copy2(path, target)
