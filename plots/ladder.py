"""The ablation ladder of a cell: its rungs, the gain of each, and whether it is significant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from harness.intervals import Interval

from .cells import interval
from .rows import CELL, valid

# The order of "all on", after all rungs.
_LAST = 1000


@dataclass(frozen=True, slots=True)
class Rung:
    """A measured rung. A valid one, except the first of these, has `step`, the speed-up over the
    previous valid rung, and `total`, the speed-up over the first."""

    name: str
    row: pd.Series
    step: Interval | None = None
    total: Interval | None = None

    @property
    def effect(self) -> str:
        """The effect of the step: "gain", "loss", or "no difference" if the interval includes 1; ""
        without a step."""
        if self.step is None:
            return ""
        if self.step.holds(1.0):
            return "no difference"
        return "gain" if self.step.value > 1 else "loss"


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rungs of a cell, from all options off to all on."""

    cell: tuple[object, ...]
    rungs: list[Rung]


def ladder_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rungs of every cell, from all options off to all on; `rung` names the option that each
    turns on, `order` is its place. Empty if nothing was measured with all options off."""
    ours = rows[rows["system"] == "acrobat"]
    rungs = ours[ours["variant"].eq("off") | ours["variant"].str.startswith("off+")].copy()
    rungs["order"] = rungs["variant"].map(lambda v: len(_options(v)))
    rungs["rung"] = rungs["variant"].map(
        lambda v: "+ " + _options(v)[-1] if "+" in v else "all off"
    )
    cells = rungs[CELL].drop_duplicates()
    full = ours[ours["variant"].eq("full")].merge(cells, on=CELL)
    full["order"], full["rung"] = _LAST, "all on"
    found = pd.concat([rungs, full]).sort_values([*CELL, "order"], kind="stable")
    return found.assign(valid=valid(found)).reset_index(drop=True)


def ladders(rows: pd.DataFrame) -> list[Ladder]:
    """The ladders of one device's rows, one per cell."""
    groups = ladder_rows(rows).groupby(CELL, observed=True, sort=False)
    return [Ladder(cell, list(_climb(part))) for cell, part in groups]


def _climb(rows: pd.DataFrame) -> Iterator[Rung]:
    before = first = None
    for _, row in rows.iterrows():
        if not row["valid"] or before is None or first is None:
            yield Rung(row["rung"], row)
        else:
            yield Rung(row["rung"], row, interval(before, row), interval(first, row))
        if row["valid"]:
            before = row
            first = row if first is None else first


def _options(variant: str) -> list[str]:
    return variant.split("+")[1].split(",") if "+" in variant else []
