"""Faults in published cells: repeating a command measures again the rows that are missing, damaged,
or lacked a native build. Valid rows stay."""

from __future__ import annotations

import shutil
from pathlib import Path

from .cell import Cell
from .row_file import DamagedRow, read_row
from .unfinished import UNFINISHED


def row_fault(cell: Cell, system: str, variant: str, path: Path) -> str | None:
    """Why the row in `path` is not a valid row of the cell; None if it is. FileNotFoundError if the
    file does not exist."""
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
    """Turn a published cell with an invalid row into an unfinished one, so that the pipeline
    measures that row; return a message for each faulty file. `place` is the cell's folder below
    `out`/raw. Unless `really`, nothing is changed."""
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
        # The waiting rows are the same files as the published ones, damaged or not.
        shutil.rmtree(waiting, ignore_errors=True)
        waiting.parent.mkdir(parents=True, exist_ok=True)
        published.rename(waiting)
    return found


def forget_failed_build(tried: Path) -> None:
    """Let the pipeline retry a failed native build; `tried` is the file that its rule wrote."""
    if tried.is_file() and tried.read_text(errors="replace").strip() != "built":
        tried.unlink(missing_ok=True)
