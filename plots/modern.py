"""Table T5b: acrobat beside current systems, and beside the expert's PyTorch in the same cells.

A ratio is the system's median over acrobat's, from the same rounds; if there is none, the cell says
why.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

import baselines

from .cells import Value, by_cell, cell_columns, doubt, interval, ratio, time
from .content import Content, Table
from .means import mean_speedups
from .rows import best_variants
from .shown import Shown

# Shown beside the current systems, where it was measured.
_EXPERT = "torch_batched"


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T5b, with the speed-ups' geometric means below it."""
    there = set(rows["system"])
    systems = [name for name in (*shown.systems, _EXPERT) if name in there]
    table = modern_table(rows, shown.systems, systems)
    names = {name: baselines.record(name).prose for name in systems}
    titles = [baselines.record(name).title for name in systems]
    ratios = [f"speed-up over {title}" for title in titles]
    columns = ["workload", "size", "batch", "threads", "acrobat ms", *ratios]
    return Content([Table(table, mean_speedups(rows, names), columns)])


def modern_table(rows: pd.DataFrame, family: Sequence[str], systems: Sequence[str]) -> pd.DataFrame:
    """A line for each cell in which a system of `family` has a row: acrobat's time, and for each of
    `systems` its time and acrobat's speed-up over it, or why there is none."""
    lines = []
    for cell, found in by_cell(best_variants(rows)).items():
        if not set(family) & set(found):
            continue
        ours = found.get("acrobat")
        line = cell_columns(cell) | {"acrobat ms": time(ours)}
        doubts = {"acrobat": ours}
        for name in systems:
            title = baselines.record(name).title
            theirs = doubts[title] = found.get(name)
            line[f"{title} ms"] = time(theirs)
            line[f"speed-up over {title}"] = _ratio(theirs, ours)
        unstable = {name: row for name, row in doubts.items() if row is not None and row["valid"]}
        texts = (f"{name}: {doubt(row)}" for name, row in unstable.items() if doubt(row))
        line["doubt"] = "; ".join(texts)
        lines.append(line)
    return pd.DataFrame(lines)


def _ratio(theirs: pd.Series | None, ours: pd.Series | None) -> Value:
    """Their time over ours, or why one of the two is missing, theirs first."""
    if interval(theirs, ours) is not None:
        return ratio(theirs, ours)
    missing = theirs if theirs is None or not theirs["valid"] else ours
    return time(missing)
