"""Published cells that are not what they should be: the same command measures again what is missing
in them, damaged, or could not be built. What holds stays."""

from __future__ import annotations

import shutil
from pathlib import Path

from .cell import Cell
from .row_file import DamagedRow, read_row
from .unfinished import UNFINISHED


def row_fault(cell: Cell, system: str, variant: str, path: Path) -> str | None:
    """Why the row in `path` is not one of the cell's that holds; None if it is. FileNotFoundError
    if there is none."""
    try:
        row = read_row(path)
    except DamagedRow as error:
        return error.why
    there = (row.workload, row.model_size, row.batch_size, row.device, row.system, row.variant)
    point = (cell.workload, cell.size, cell.batch, cell.device, system, variant)
    if row.mode != cell.mode:
        return f"it is a row of {row.mode}"
    if cell.training and (row.optimiser or "sgd") != cell.training.optimiser:
        return f"it is a row of steps of {row.optimiser or 'sgd'}"
    if there != point:
        return f"it is a row of {' '.join(map(str, there))}"
    if row.status == "skipped":
        return "it could not be measured, for want of a native build"
    return None


def reopen(cell: Cell, place: Path, out: Path, really: bool = True) -> list[str]:
    """Make a published cell an unfinished one if a row of it does not hold, so that the pipeline
    measures that; returns what is wrong, by file. `place` is the cell's folder below `out`/raw.
    Unless `really`, nothing is done."""
    published, waiting = out / "raw" / place, out / UNFINISHED / place
    if not published.is_dir():
        return []
    found = []
    for system, variant in cell.systems:
        path = published / system / f"{variant}.json"
        try:
            fault = row_fault(cell, system, variant, path)
        except FileNotFoundError:
            fault = "it is missing"
        if fault:
            found.append(f"{path}: {fault}")
    if found and really:
        # What was waiting is the same rows: the same files, damaged or not.
        shutil.rmtree(waiting, ignore_errors=True)
        waiting.parent.mkdir(parents=True, exist_ok=True)
        published.rename(waiting)
    return found


def forget_failed_build(tried: Path) -> None:
    """Let the pipeline try a native build again that has failed; `tried` is what its rule wrote."""
    if tried.is_file() and tried.read_text(errors="replace").strip() != "built":
        tried.unlink(missing_ok=True)
