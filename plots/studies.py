"""The study of a row, by its workload: a table or figure shows one study, or all rows."""

from __future__ import annotations

import pandas as pd

import workloads


def of_study(rows: pd.DataFrame, study: str | None) -> pd.DataFrame:
    """The rows of a study (`workloads.api.Workload.study`), which is "" for workloads that are in
    none or not known here; all rows for None. May be empty."""
    if study is None:
        return rows
    mine = [_study(str(name)) == study for name in rows["workload"]]
    return rows[mine].reset_index(drop=True)


def _study(workload: str) -> str:
    return workloads.get(workload).study if workload in workloads.ALL else ""
