"""`acrobat bench`: measure cells and write their rows. Needs neither Snakemake nor pandas."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .cell import Cell, measure_cell
from .config import estimate_s


def key_of(cell: Cell) -> str:
    """The cell's name on the command line: workload/size/bs8.t1."""
    return f"{cell.workload}/{cell.size}/bs{cell.batch}.t{cell.threads}"


def run_cells(cells: Sequence[Cell], out: Path, say: Callable[[str], None]) -> int:
    """Measure `cells` and write their rows below `out`/raw; returns the number of rows that are
    not ok. A row that failed is a row: only a fault of the harness raises."""
    points = sum(len(c.systems) for c in cells)
    minutes = sum(map(estimate_s, cells)) / 60
    say(f"{points} points in {len(cells)} cells, about {minutes:.0f} min")
    bad = 0
    for i, cell in enumerate(cells, 1):
        start = time.perf_counter()
        rows = measure_cell(cell)
        for row in rows:
            row.write(out / "raw")
            bad += row.status != "ok"
        best = ", ".join(
            f"{r.system} {r.median_ms:.2f} ms" if r.median_ms else f"{r.system} {r.status}"
            for r in rows
        )
        seconds = time.perf_counter() - start
        say(f"[{i}/{len(cells)}] {key_of(cell)} in {seconds:.0f} s: {best}")
    return bad
