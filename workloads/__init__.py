"""The models that are measured, one module each, and their data."""

from __future__ import annotations

import difflib
import importlib

from .api import Workload

NAMES = (
    "treelstm",
    "mvrnn",
    "birnn",
    "nestedrnn",
    "drnn",
    "berxit",
    "stackrnn",
    "treelstm_childsum",
)


def get(name: str) -> Workload:
    """The workload of that name; ValueError lists what exists."""
    if name not in NAMES:
        near = difflib.get_close_matches(name, NAMES, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no workload {name!r}; there is {', '.join(NAMES)}.{hint}")
    workload = importlib.import_module(f"workloads.{name}").WORKLOAD
    assert isinstance(workload, Workload)
    return workload
