"""Table T10: a training step of acrobat beside those of DyNet and PyTorch, and its limits.

A ratio divides two medians from the same cell and the same rounds. The memory is the peak of the
whole process during the steps, including Python and the loaded libraries.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

import baselines
from baselines.api import FORWARD

from .cells import Value, by_cell, cell_columns, doubt, ratio, time, value, variant
from .content import Content, Table
from .means import mean_speedups
from .rows import best_variants
from .shown import Shown
from .tables import thread_remarks

_SGD = "sgd"
_PARTS = {"forward_ms": "forward", "backward_ms": "backward", "update_ms": "update"}


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T10, with the speed-ups' geometric means below it."""
    there = set(rows["system"])
    systems = [name for name in shown.systems if name in there]
    contenders = [name for name in systems if not baselines.record(name).is_limit]
    names = {name: baselines.record(name).prose for name in contenders}
    table = training_table(rows, contenders)
    first = ["workload", "size", "batch", "threads", "optimiser", "acrobat ms"]
    first.append("step / forward run")
    shown_columns = [c for c in table.columns if c in first or c.startswith("speed-up over ")]
    shown_columns += [c for c in table.columns if c == "acrobat / floor" or c.endswith(" MiB")]
    plain = rows[rows["optimiser"] == _SGD]
    remarks = [*thread_remarks(rows, names), *(mean_speedups(plain, names) if len(plain) else ())]
    if "optimiser" in table:
        remarks.append("Geometric means are of steps with SGD.")
    tables = [Table(table, remarks, shown_columns)]
    parts = parts_table(rows)
    if len(parts):
        more = "The parts of a step, as far as a system tells them apart."
        tables.append(Table(parts, suffix="_parts", more=more))
    return Content(tables)


def training_table(rows: pd.DataFrame, contenders: list[str]) -> pd.DataFrame:
    """A line for each cell and optimiser: acrobat's step, its ratio to acrobat's forward run
    without gradients, every contender's step and acrobat's speed-up over it, the floor, and the
    memory of each. The optimiser is named unless there is only SGD."""
    lines = []
    for first, found, forward in _cells(rows):
        ours, floor = found.get("acrobat"), found.get("floor")
        line = first | {"acrobat ms": time(ours)}
        line["step / forward run"] = ratio(ours, forward)
        doubts = {"acrobat": ours}
        for name in contenders:
            record, theirs = baselines.record(name), found.get(name)
            doubts[record.title] = theirs
            line[f"{record.title} ms"] = time(theirs)
            if len(record.variants) > 1:
                line[f"{record.title} {record.variants_are}"] = variant(theirs)
            line[f"speed-up over {record.title}"] = ratio(theirs, ours)
        line["floor ms"] = time(floor)
        line["acrobat / floor"] = ratio(ours, floor)
        line |= {f"{name} MiB": _memory(row) for name, row in doubts.items()}
        line["relative error"] = _error(ours)
        known = {name: row for name, row in doubts.items() if row is not None and row["valid"]}
        texts = (f"{name}: {doubt(row)}" for name, row in known.items() if doubt(row))
        line["doubt"] = "; ".join(texts)
        lines.append(line)
    return pd.DataFrame(lines)


def parts_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each cell, optimiser and system that distinguishes the parts of a step, with the
    milliseconds of each part."""
    lines = []
    for first, found, _ in _cells(rows):
        for name, row in found.items():
            if row["valid"] and not all(pd.isna(row.get(column)) for column in _PARTS):
                line = first | {"system": baselines.record(name).title}
                line |= {f"{part} ms": value(row, column) for column, part in _PARTS.items()}
                lines.append(line)
    return pd.DataFrame(lines)


def _cells(
    rows: pd.DataFrame,
) -> Iterator[tuple[dict[str, object], dict[str, pd.Series], pd.Series | None]]:
    """For each optimiser, SGD first, and each measured cell: the first columns of its line, the row
    of each system, and the row of acrobat's forward run."""
    optimisers = sorted(rows["optimiser"].unique(), key=lambda name: (name != _SGD, name))
    for optimiser in optimisers:
        part = rows[rows["optimiser"] == optimiser]
        forward = by_cell(part[(part["system"] == "acrobat") & (part["variant"] == FORWARD)])
        named = {} if optimisers == [_SGD] else {"optimiser": optimiser}
        for cell, found in by_cell(best_variants(part)).items():
            yield cell_columns(cell) | named, found, forward.get(cell, {}).get("acrobat")


def _memory(row: pd.Series | None) -> Value:
    if row is None or not row["valid"] or pd.isna(row["peak_mem_mb"]):
        return "-"
    return f"{row['peak_mem_mb']:.0f}"


def _error(row: pd.Series | None) -> str:
    return "-" if row is None or pd.isna(row["max_rel_err"]) else f"{row['max_rel_err']:.1e}"
