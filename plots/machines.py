"""Rows of several machines, which must not share a cell and are named below a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .devices import threads_of


def machine(device_name: str, host: Mapping[str, Any]) -> str:
    """The machine of a row; without the host's name for older rows, which have no `host`."""
    if not host:
        return device_name
    return f"{host['name']} ({device_name}; {host['cpu']}, {host['lanes']} lanes)"


def refuse_mixed(rows: pd.DataFrame, cell: list[str], paths: Sequence[Path], where: str) -> None:
    """Raise ValueError if a cell (the columns `cell`) has times from two machines; row i is in file
    i of `paths`."""
    for _, part in rows[rows["status"] == "ok"].groupby(["device", *cell]):
        first, others = part.index[0], part.index[part["machine"] != part["machine"].iloc[0]]
        if len(others):
            raise ValueError(
                f"{where}: {paths[first]} was measured on {rows.loc[first, 'machine']}, "
                f"{paths[others[0]]} on {rows.loc[others[0], 'machine']}: a speed-up must not have "
                f"its times from two machines; remove the rows of one, or measure the cell again"
            )


def machines(rows: pd.DataFrame) -> list[str]:
    """A sentence per machine that lists the cells measured on it, if there are several machines."""
    timed = rows[rows["status"] == "ok"]
    if timed["machine"].nunique() < 2:
        return []
    found = []
    for name, part in timed.groupby("machine"):
        columns = ["device", "workload", "model_size", "threads"]
        cells = part[columns].drop_duplicates().sort_values(columns)
        texts = [f"{w} {s}{threads_of(d, t)}" for d, w, s, t in cells.itertuples(index=False)]
        found.append(f"Measured on {name}: {'; '.join(texts)}.")
    return found
