"""`acrobat bench`: measure cells and write their rows. Needs neither Snakemake nor pandas."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import baselines
import workloads

from .cell import Cell
from .environment import source_hash
from .estimate import takes
from .measure import measure_cell
from .printable import printable
from .published import row_fault
from .row import FAILURES, Row
from .row_file import DamagedRow, read_row
from .summary import summary_lines
from .unfinished import Unfinished


def key_of(cell: Cell) -> str:
    """The cell's name on the command line: workload/size/bs8.t1, or .tall for all threads. The name
    of a cell of training steps ends with .train, or with .train-adam."""
    end = ""
    if cell.training:
        optimiser = cell.training.optimiser
        end = ".train" if optimiser == "sgd" else f".train-{optimiser}"
    return f"{cell.workload}/{cell.size}/bs{cell.batch}.t{cell.label or cell.threads}{end}"


def cell_folder(cell: Cell, raw: Path) -> Path:
    """The folder of the cell's rows: one output of the pipeline."""
    return raw / cell.device / key_of(cell)


def row_path(cell: Cell, system: str, variant: str, raw: Path) -> Path:
    """The path of the row of one of the cell's systems."""
    return cell_folder(cell, raw) / system / f"{variant}.json"


def missing(cell: Cell, out: Path, say: Callable[[str], None] = lambda _: None) -> Cell | None:
    """The cell with only the systems that still need a row; None if there are none. A system needs
    one if its row is not below `out`/raw, is damaged (reported through `say`), or records a failure
    of an earlier version of the system's sources or native build."""
    absent = tuple(s for s in cell.systems if not _is_there(cell, s, out / "raw", say))
    return replace(cell, systems=absent) if absent else None


def _is_there(cell: Cell, pair: tuple[str, str], raw: Path, say: Callable[[str], None]) -> bool:
    path = row_path(cell, *pair, raw)
    try:
        if fault := row_fault(cell, *pair, path):
            say(f"{path}: {fault}; measured again")
            return False
        row = read_row(path)
    except (FileNotFoundError, DamagedRow):
        return False
    failed = row.status in ("error", "timeout", "oom")
    return not failed or row.source_hash == source_hash(row.system)


def without(cell: Cell, left_out: Collection[str]) -> Cell | None:
    """The cell without some systems or variants ("system:variant"); None if nothing is left."""
    names = set(left_out)
    kept = tuple((s, v) for s, v in cell.systems if not {s, f"{s}:{v}"} & names)
    return replace(cell, systems=kept) if kept else None


def run_whole(
    cell: Cell, out: Path, settings: Mapping[str, Any], say: Callable[[str], None]
) -> None:
    """Measure a cell for the pipeline: its folder below `out`/raw appears once all its rows are
    complete, and rows that a killed run with the same `settings` left are not measured again."""
    place = cell_folder(cell, Path())
    Unfinished(cell, place, out, settings).run(
        lambda rest, write: run_cells([rest], out, say, write)
    )


def run_cells(
    cells: Sequence[Cell],
    out: Path,
    say: Callable[[str], None],
    keep: Callable[[Row], object] | None = None,
) -> int:
    """Measure `cells` and write their rows below `out`/raw, or pass each row to `keep`; return the
    number of rows that failed. A failed system has a row too: only a fault of the harness raises.
    A cell that a system declares it cannot run is not a failure."""
    points = sum(len(c.systems) for c in cells)
    text = f"{points} points in {len(cells)} cells, {takes(cells)}"
    spare = sum(c.noisy_seconds for c in cells) / 60
    say(text + (f", {spare:.0f} min of it if rows are unstable" if spare >= 1 else ""))
    for problem in (*baselines.problems(), *workloads.PROBLEMS):
        say(f"left out: {printable(problem, 500)}")
    measured: list[Row] = []
    for i, cell in enumerate(cells, 1):
        start = time.perf_counter()

        def write(row: Row, cell: Cell = cell) -> None:
            row.write(row_path(cell, row.system, row.variant, out / "raw"))

        rows = measure_cell(cell, keep or write)
        measured += rows
        seconds = time.perf_counter() - start
        say(f"[{i}/{len(cells)}] {key_of(cell)} in {seconds:.0f} s: {', '.join(map(_brief, rows))}")
    failed = [row for row in measured if row.outcome in FAILURES]
    for row in failed:
        say(f"{_name(row)}: {row.outcome}, {' '.join(row.reason.split())}")
    for reason in sorted({row.reason for row in measured if row.status == "skipped"}):
        say(f"skipped: {' '.join(reason.split())}")
    timed = [row.doubt for row in measured if row.median_ms is not None]
    for line in summary_lines([row.outcome for row in measured], timed):
        say(line)
    return len(failed)


def _brief(row: Row) -> str:
    name = row.system if row.variant == "full" else f"{row.system}:{row.variant}"
    if row.median_ms is None:
        return f"{name} {row.status}"
    wrong = "" if row.right else " (wrong)"
    return f"{name} {'~' if row.doubt else ''}{row.median_ms:.2f} ms{wrong}"


def _name(row: Row) -> str:
    where = f"{row.workload}/{row.model_size}/bs{row.batch_size}.t{row.threads}"
    return f"{where} {row.system}:{row.variant}"
