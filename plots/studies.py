"""Which study a row belongs to, by its workload: tables and figures are of one, or of all rows."""

from __future__ import annotations

import pandas as pd

import workloads


def of_study(rows: pd.DataFrame, study: str | None) -> pd.DataFrame:
    """The rows of a study (`workloads.api.Workload.study`), "" for workloads that are in none or
    not known here; all rows for None. Maybe none."""
    if study is None:
        return rows
    mine = [_study(str(name)) == study for name in rows["workload"]]
    return rows[mine].reset_index(drop=True)


def _study(workload: str) -> str:
    return workloads.get(workload).study if workload in workloads.ALL else ""
