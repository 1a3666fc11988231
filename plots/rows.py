"""Rows as a DataFrame, and the computations that all tables and figures share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import baselines
from baselines.api import FORWARD
from harness.row import within
from harness.row_file import DamagedRow, row_values

from .machines import machine, refuse_mixed
from .old_rows import complete

CELL = ["workload", "model_size", "batch_size", "threads"]
SIZES = ["tiny", "small", "large"]
# A curve over batch sizes (F3) has at least this many points.
FEWEST_BATCHES = 3
# The batch sizes of a curve that are shown beside other workloads, as in the paper.
_USUAL_BATCHES = (8, 64)
_CURVE = ["workload", "model_size", "threads"]
_POINT = ["mode", "optimiser", "device", *CELL, "system", "variant"]


def load_rows(*folders: Path, damaged: list[DamagedRow] | None = None) -> pd.DataFrame:
    """All rows below the folders, one line each, sorted; the column `machine` names the machine.
    FileNotFoundError if there are none; ValueError if two are of the same point, or if the times of
    a cell come from two machines, since a speed-up must not combine them. Files that are not rows
    are left out and added to `damaged`; if that is None, the first raises DamagedRow."""
    where = ", ".join(map(str, folders))
    paths, values = [], []
    lost: list[DamagedRow] = []
    for path in sorted({p for folder in folders for p in folder.rglob("*.json")}):
        try:
            values.append(complete(row_values(path)))
            paths.append(path)
        except DamagedRow as error:
            lost.append(error)
        except FileNotFoundError:
            lost.append(DamagedRow(path, "it is not there any more"))
    if lost and damaged is None:
        raise lost[0]
    if damaged is not None:
        damaged += lost
    if not paths:
        if lost:
            raise FileNotFoundError(f"{where}: no rows, but {lost[0]}")
        raise FileNotFoundError(f"{where}: no rows; measure first, with `acrobat bench`")
    frame = pd.DataFrame(values)
    twice = asked_twice(paths, frame)
    frame = frame[~twice].reset_index(drop=True)
    paths = [p for p, again in zip(paths, twice, strict=True) if not again]
    again = frame.duplicated(_POINT)
    if again.any():
        second = int(again.to_numpy().argmax())
        same = (frame[_POINT] == frame.loc[second, _POINT]).all(axis=1)
        raise ValueError(
            f"{where}: {paths[int(same.to_numpy().argmax())]} and {paths[second]} are rows of "
            f"the same point; name a folder with the rows of one machine"
        )
    hosts = zip(frame["device_name"], frame["host"], strict=True)
    frame["machine"] = [machine(name, host) for name, host in hosts]
    refuse_mixed(frame, CELL, paths, where)
    others = sorted(set(frame["model_size"]) - set(SIZES))
    frame["model_size"] = pd.Categorical(frame["model_size"], [*SIZES, *others], ordered=True)
    return frame.sort_values([*CELL, "system", "variant"]).reset_index(drop=True)


def asked_twice(paths: Sequence[Path], rows: pd.DataFrame) -> pd.Series:
    """Which rows were measured with "all" threads (their cell's folder is bs8.tall) although the
    same number was also requested: on a machine with one core, "1" and "all" are the same point."""
    folders = (p.parent.parent.name.split(".") for p in paths)
    of_all = pd.Series(["tall" in folder for folder in folders], dtype=bool)
    result: pd.Series = of_all & rows.duplicated(_POINT, keep=False)
    return result


def limits() -> list[str]:
    """The systems that are limits, which have no outputs to check."""
    return [name for name, record in baselines.records().items() if record.is_limit]


def valid(rows: pd.DataFrame) -> pd.Series:
    """Whether each row may appear in a speed-up: it was measured, and is right (unless a limit) by
    the row's own tolerance."""
    error = pd.to_numeric(rows["max_abs_err"], errors="coerce")
    if "max_rel_err" in rows:  # Training steps have only this error.
        error = error.fillna(pd.to_numeric(rows["max_rel_err"], errors="coerce"))
    unchecked = rows["system"].isin(limits())
    right = pd.Series(map(within, error, rows["tolerance"]), index=rows.index, dtype=bool)
    return (rows["status"] == "ok") & (unchecked | right)


def outcomes(rows: pd.DataFrame) -> list[str]:
    """The status of each row, or "wrong", like `harness.row.Row.outcome`."""
    wrong = (rows["status"] == "ok") & ~valid(rows)
    return rows["status"].mask(wrong, "wrong").tolist()


def threads_used(rows: pd.DataFrame, system: str) -> int | None:
    """The number of threads a system ran on when it was allowed more; None if it used them all."""
    fewer = (rows["system"] == system) & (rows["threads_used"] < rows["threads"])
    return int(rows.loc[fewer, "threads_used"].max()) if fewer.any() else None


# Options of acrobat that change how a program runs but leave nothing out. Variants that change
# other options are ablations, or compute something else ("precision", "weights").
_WAYS_TO_RUN = ("gpu_mode",)


def is_headline(variant: str) -> bool:
    """Whether a variant of acrobat may be the headline: the default options ("full"), a named way
    to run, or options that choose one."""
    if variant in ("off", FORWARD) or variant.startswith("off+"):
        return False
    names = [part.partition("=")[0] for part in variant.split(",") if "=" in part]
    return all(name in _WAYS_TO_RUN for name in names)


def headline_variants(rows: pd.DataFrame) -> list[str]:
    """The variants of acrobat in `rows` that may be the headline, the default options first."""
    found = rows.loc[rows["system"] == "acrobat", "variant"].unique()
    return sorted(filter(is_headline, found), key=lambda v: (v != "full", v))


def best_variants(rows: pd.DataFrame) -> pd.DataFrame:
    """The fastest valid row per cell and system, or the first one if none is valid. acrobat's
    ablations do not count, nor any system's variants that round (`rounded`). For a limit it is the
    slowest valid row: each of its variants is a lower limit, and the largest is the tightest."""
    # acrobat's headline must not be the best of its ablations.
    ours = rows["system"] == "acrobat"
    rows = rows[np.where(ours, rows["variant"].map(is_headline), ~rounded(rows)).astype(bool)]
    sign = 1 - 2 * rows["system"].isin(limits())
    rows = rows.assign(valid=valid(rows), rank=pd.to_numeric(rows["median_ms"]) * sign)
    # Among invalid rows, the default variant's reason is the most informative.
    rows = rows.assign(later=rows["variant"] != "full")
    by = ["valid", "rank", "later"]
    rows.loc[~rows["valid"], "rank"] = 0.0
    ordered = rows.sort_values(by, ascending=[False, True, True], kind="stable")
    best = ordered.groupby([*CELL, "system"], observed=True, sort=False).head(1)
    return best.drop(columns=["rank", "later"]).sort_values([*CELL, "system"], ignore_index=True)


def rounded(rows: pd.DataFrame) -> np.ndarray:
    """Which rows are of variants that use fewer bits than float32."""
    known = baselines.records()
    pairs = zip(rows["system"], rows["variant"], strict=True)
    return np.array([s in known and known[s].rounds(v) > 0 for s, v in pairs], bool)


def on_curves(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of systems that were measured at enough batch sizes of a workload for a curve."""
    by = [*_CURVE, "system"]
    counts = rows.groupby(by, observed=True)["batch_size"].transform("nunique")
    return rows[counts >= FEWEST_BATCHES]


def usual_batches(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without the batch sizes that were measured only for a curve: they would outweigh
    other workloads in a mean, and clutter a figure."""
    batches = rows.groupby(_CURVE, observed=True)["batch_size"]
    curve = batches.transform("nunique") >= FEWEST_BATCHES
    some = batches.transform(lambda b: b.isin(_USUAL_BATCHES).any()).astype(bool)
    return rows[~(curve & some) | rows["batch_size"].isin(_USUAL_BATCHES)]
