"""Rows as a DataFrame, and what every table and figure computes from them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

CELL = ["workload", "model_size", "batch_size", "threads"]
SIZES = ["tiny", "small", "large"]


def load_rows(folder: Path) -> pd.DataFrame:
    """All rows below `folder`, one line each, sorted; FileNotFoundError if there are none."""
    paths = sorted(folder.rglob("*.json"))
    if not paths:
        raise FileNotFoundError(f"{folder}: no rows; measure first, with `acrobat bench`")
    frame = pd.DataFrame([json.loads(p.read_text()) for p in paths])
    frame["model_size"] = pd.Categorical(frame["model_size"], SIZES, ordered=True)
    return frame.sort_values([*CELL, "system", "variant"]).reset_index(drop=True)


def valid(rows: pd.DataFrame, tolerance: float = 1e-4) -> pd.Series:
    """Whether a row may appear in a speed-up: measured, and right (the floor has no outputs)."""
    error = pd.to_numeric(rows["max_abs_err"], errors="coerce")
    unchecked = rows["system"] == "floor"
    result: pd.Series = (rows["status"] == "ok") & (unchecked | (error <= tolerance))
    return result


def best_variants(rows: pd.DataFrame) -> pd.DataFrame:
    """Per cell and system the fastest valid row, or the first one if none is valid; of acrobat the
    row with the default options."""
    # Our own headline is the default options, not the best of an ablation.
    rows = rows[(rows["system"] != "acrobat") | (rows["variant"] == "full")]
    rows = rows.assign(valid=valid(rows))
    ordered = rows.sort_values(["valid", "median_ms"], ascending=[False, True], kind="stable")
    best = ordered.groupby([*CELL, "system"], observed=True, sort=False).head(1)
    return best.sort_values([*CELL, "system"]).reset_index(drop=True)
