"""Table T12: variants that compute or store in fewer bits than float32, beside float32.

A line for each cell and variant: its time, the same system's time in float32, the speed-up from the
same rounds, and the error of its results with its tolerance.
"""

from __future__ import annotations

import pandas as pd

import baselines

from .cells import by_cell, cell_columns, digits, error, ratio, time
from .content import Content, Table
from .rows import rounded
from .shown import Shown

# The variant of a system that computes in float32.
_FULL = "full"
_CELL = ("workload", "size", "batch", "threads")


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T12, if such a variant was measured."""
    return Content([Table(precision_table(rows))])


def precision_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each cell and system, for each variant that rounds."""
    exact = _by_system(rows[rows["variant"] == _FULL])
    lines = []
    narrow = rows[rounded(rows)]
    for system, variant in sorted(set(zip(narrow["system"], narrow["variant"], strict=True))):
        found = narrow[(narrow["system"] == system) & (narrow["variant"] == variant)]
        for cell, systems in by_cell(found).items():
            row, full = systems[system], exact.get((cell, system))
            line = cell_columns(cell) | {"system": baselines.record(system).title}
            line |= {"variant": variant}
            line |= {"float32 ms": time(full), "ms": time(row), "speed-up": ratio(full, row)}
            line |= {"max abs err": error(row), "tolerance": digits(row["tolerance"])}
            lines.append(line)
    order = {cell: n for n, cell in enumerate(by_cell(rows))}
    lines.sort(key=lambda line: order[tuple(line[c] for c in _CELL)])
    return pd.DataFrame(lines)


def _by_system(rows: pd.DataFrame) -> dict[tuple[object, object], pd.Series]:
    """The rows by cell and system."""
    return {
        (cell, name): row for cell, found in by_cell(rows).items() for name, row in found.items()
    }
