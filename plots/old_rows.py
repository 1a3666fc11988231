"""Upgrading rows from older versions of the harness to the current form."""

from __future__ import annotations

import re
from typing import Any

from harness.doubt import doubt_of
from harness.intervals import Timing
from harness.row import TOLERANCE

# Before `doubt` existed, rows with widely spread samples were called unstable in `reason`.
_SPREAD = re.compile(r"(; )?this result may be unstable: the IQR is over 10% of the median")


def complete(row: dict[str, Any]) -> dict[str, Any]:
    """`row` with all columns that tables and figures read. Its doubt is computed if it has a time
    and the doubt could not be computed when it was measured."""
    row = {
        "samples_ms": [],
        "rounds": [],
        "host": {},
        "doubt": None,
        "tolerance": TOLERANCE,
        "mode": "inference",
        "source_hash": "",
        "git_sha": "",
        **row,
    }
    if row.get("optimiser") is None:
        row["optimiser"] = "sgd" if row["mode"] == "train" else ""
    row["reason"] = _SPREAD.sub("", row["reason"])
    if row.get("threads_used") is None:
        # DyNet's number of threads used was stored in its versions.
        used = (row.get("versions") or {}).get("threads_used")
        row["threads_used"] = None if used is None else int(used)
    if row["doubt"] is None and row["samples_ms"]:
        row["doubt"] = doubt_of(Timing.of(row), row["host"])
    return row
