"""The explanations, below a table, of the marks in its cells."""

from __future__ import annotations

import pandas as pd

from harness.doubt import FEW_ROUNDS, kinds, summary

from .cells import Ratio, Time


def is_number(column: pd.Series) -> bool:
    """Whether a column of texts contains numbers, and so is aligned to the right."""
    return bool(column.str.match(r"(~|= )?\d").any())


def legend(table: pd.DataFrame) -> list[str]:
    """A sentence for each kind of mark in the table."""
    cells = [value for column in table.columns for value in table[column]]
    ratios = [v for v in cells if isinstance(v, Ratio)]
    doubts = [v.doubt for v in cells if isinstance(v, Time)]
    lines = []
    if any(r.interval.known for r in ratios):
        lines.append("In brackets: the 95% interval of the ratio.")
    if not all(r.interval.known for r in ratios):
        lines.append("[?]: there is no interval, for want of samples.")
    if same := sum(r.no_difference for r in ratios):
        lines.append(f"=: no difference, for the interval includes 1 ({same} of {len(ratios)}).")
    if any(doubts):
        few = any(FEW_ROUNDS in kinds(doubt) for doubt in doubts)
        narrow = "; the intervals of these are narrower than 95%" if few else ""
        lines.append(f"~: {summary(doubts, 'time')}{narrow}.")
    return lines
