"""Table T8: kernels tuned for some seconds, by profile (as in the paper) or in equal shares.

Both start from scratch and are compared with the rule, which makes untuned schedules."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from harness.intervals import Timing, mean_interval

from .cells import by_cell, cell_columns, interval, ratio, ratio_text, time, value
from .content import Content, Table
from .shown import Shown

RULE = "autoschedule=off"
_TUNED = re.compile(r"tune=([0-9.]+)(,pgo=off)?")


@dataclass(frozen=True, slots=True, order=True)
class Budget:
    """The seconds of tuning, and whether a profile distributed them."""

    seconds: float
    profile: bool

    @property
    def title(self) -> str:
        """The title of the budget's column."""
        return f"{self.seconds:g} s by {'profile' if self.profile else 'equal shares'}"


def budget_of(variant: str) -> Budget | None:
    """The budget of a tuned variant; None for other variants."""
    found = _TUNED.fullmatch(variant)
    return None if found is None else Budget(float(found[1]), found[2] is None)


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T8, if anything was tuned, with the means over its cells."""
    table = tuning_table(rows)
    return Content([Table(table, _means(rows))]) if len(table) else Content()


def tuning_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each cell with a tuned variant: the rule's time, and for every budget the speed-up
    over it, with the seconds that tuning actually took."""
    found = _by_budget(rows)
    rule = by_cell(_of(rows, RULE))
    lines = []
    for cell in dict.fromkeys(cell for cells in found.values() for cell in cells):
        ours = rule.get(cell, {}).get("acrobat")
        line: dict[str, object] = cell_columns(cell) | {"rule ms": time(ours)}
        for budget, cells in found.items():
            tuned = cells.get(cell)
            line[budget.title] = ratio(ours, tuned)
            line[f"{budget.title}: took s"] = value(tuned, "tune_s")
        lines.append(line)
    return pd.DataFrame(lines)


def _means(rows: pd.DataFrame) -> list[str]:
    """A sentence with the geometric mean for each budget, over the cells that have both times."""
    rule = by_cell(_of(rows, RULE))
    said = []
    for budget, cells in _by_budget(rows).items():
        pairs = []
        for cell, tuned in cells.items():
            ours = rule.get(cell, {}).get("acrobat")
            if interval(ours, tuned) is not None:
                assert ours is not None
                pairs.append((Timing.of(ours), Timing.of(tuned)))
        if pairs:
            mean = ratio_text(mean_interval(pairs))
            said.append(f"{budget.title}: {mean} (n={len(pairs)})")
    if not said:
        return []
    return [f"Geometric mean of the speed-up over the rule: {'; '.join(said)}."]


def _by_budget(rows: pd.DataFrame) -> dict[Budget, dict[tuple[object, ...], pd.Series]]:
    """The tuned rows of every cell, smallest budget first, by profile before equal shares."""
    variants = {b: v for v in set(rows["variant"]) if (b := budget_of(v)) is not None}
    order = sorted(variants, key=lambda b: (b.seconds, not b.profile))
    return {
        budget: {
            cell: systems["acrobat"]
            for cell, systems in by_cell(_of(rows, variants[budget])).items()
        }
        for budget in order
    }


def _of(rows: pd.DataFrame, variant: str) -> pd.DataFrame:
    return rows[(rows["system"] == "acrobat") & (rows["variant"] == variant)]
