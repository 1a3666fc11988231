"""The leave-one-out table of the ablation: all optimisations on except one.

A rung of the ladder shows the gain of an option while those above it are still off; this table
shows its gain when all others are on, which a user loses by turning it off.
"""

from __future__ import annotations

import pandas as pd

from acrobat.options import Options

from .cells import Ratio, by_cell, cell_columns, interval, value
from .rows import is_headline

# An option counts as a loss in a cell if the whole interval of its worth is below this.
LOSS = 0.97


def leave_one_out_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per cell and variant that turns options off: its time, its batches, the worth of the
    options there (its median over that with all on), and whether that is a gain. Empty if no such
    variant was measured."""
    ours = rows[rows["system"] == "acrobat"]
    full = by_cell(ours[ours["variant"] == "full"])
    lines = []
    for name in filter(_turns_off, ours["variant"].unique()):
        for cell, systems in by_cell(ours[ours["variant"] == name]).items():
            row, all_on = systems["acrobat"], full.get(cell, {}).get("acrobat")
            worth = interval(row, all_on)
            line = cell_columns(cell) | {"without": name, "ms": value(row, "median_ms")}
            line["worth"] = "-" if worth is None else Ratio(worth)
            line["effect"] = "" if worth is None else _effect(worth.value, worth.holds(1.0))
            line["batches"] = int(row["n_batches"]) if row["valid"] else "-"
            on = all_on is not None and all_on["valid"]
            line["batches, all on"] = int(all_on["n_batches"]) if on else "-"  # type: ignore[index]
            lines.append(line)
    table = pd.DataFrame(lines)
    if table.empty:
        return table
    by = ["workload", "size", "batch", "threads", "without"]
    return table.sort_values(by, key=_sorted_by, kind="stable", ignore_index=True)


def losses(table: pd.DataFrame) -> list[str]:
    """A sentence on the number of lines in which an option counts as a loss."""
    if table.empty:
        return []
    ratios = [v.interval for v in table["worth"] if isinstance(v, Ratio)]
    bad = sum(r.known and r.high < LOSS for r in ratios)
    return [
        f"Worth: the time without the option over the time of all on. Below {LOSS:g} with its "
        f"whole interval, so that the option costs more than {1 - LOSS:.0%}: "
        f"{bad} of {len(ratios)}."
    ]


def _effect(worth: float, same: bool) -> str:
    if same:
        return "no difference"
    return "gain" if worth > 1 else "loss"


def _turns_off(variant: str) -> bool:
    """Whether a variant differs from the default options only by optimisations turned off or
    down."""
    names = [part.partition("=")[0] for part in variant.split(",") if "=" in part]
    return bool(names) and not is_headline(variant) and set(names) <= set(Options.ladder())


def _sorted_by(column: pd.Series) -> pd.Series:
    return column.map(_order) if column.name == "without" else column


def _order(variant: str) -> tuple[int, int, str]:
    """A sort key: single options in the order of the ladder, then combinations."""
    first = variant.partition("=")[0]
    return variant.count(","), Options.ladder().index(first), variant
