"""Table T1: what each system can express, from the status of its rows."""

from __future__ import annotations

import pandas as pd

import baselines

from . import style
from .cells import Marked, Value
from .content import Content, Table
from .rows import limits, outcomes
from .shown import Shown

# Of several rows, the first of these outcomes counts: a system that ran once can express it.
_ORDER = ("ok", "wrong", "oom", "timeout", "error", "skipped", "unsupported")
_WORDS = {"ok": "yes", "unsupported": "no"}


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T1, if there are rows other than those of limits."""
    return Content([Table(expressed_table(rows))])


def expressed_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per system, a column per workload: yes, no with the reason, or the best outcome of the
    rows with its reason."""
    rows = rows[~rows["system"].isin(limits())]
    rows = rows.assign(outcome=outcomes(rows))
    workloads = list(dict.fromkeys(rows["workload"]))
    lines = []
    for system in style.in_order(set(rows["system"])):
        of = rows[rows["system"] == system]
        line: dict[str, Value] = {"system": baselines.record(system).title}
        line |= {w: _said(of[of["workload"] == w]) for w in workloads}
        lines.append(line)
    return pd.DataFrame(lines)


def _said(rows: pd.DataFrame) -> Value:
    if rows.empty:
        return "not measured"
    best = min(rows.index, key=lambda i: _ORDER.index(rows.loc[i, "outcome"]))
    outcome = rows.loc[best, "outcome"]
    word = _WORDS.get(outcome, outcome)
    return word if outcome == "ok" else Marked(word, rows.loc[best, "reason"])
