"""Rows as the harness writes them, made up."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from harness.row import Row

CPU, GPU = "A CPU, 2 cores", "NVIDIA H200"
HOST = {
    "name": "here",
    "cpu": "A CPU (family 25, model 17, stepping 1)",
    "design": "znver4",
    "lanes": 8,
    "cores": 2,
    "load_during": 0.0,
}
MACHINE = "here (A CPU, 2 cores; A CPU (family 25, model 17, stepping 1), 8 lanes)"


def row(system: str, ms: float | None, variant: str = "full", **more: Any) -> dict[str, object]:
    """A row of TreeLSTM, small, batch 8, two threads, on a CPU, with all columns of rows."""
    empty = Row(system, variant, "treelstm", "small", 8, "cpu", CPU, "ok", "", threads=2)
    made: dict[str, object] = {
        **asdict(empty),
        "optimiser": "",
        "doubt": None if ms is None else "",
        "median_ms": ms,
        "n_samples": 0 if ms is None else 8,
        "samples_ms": [] if ms is None else [ms] * 8,
        "rounds": [] if ms is None else [1] * 8,
        "iqr_ms": 0.1,
        "max_abs_err": 1e-7 if system != "floor" else None,
        "tolerance": 1e-4,
        "threads_used": 1 if system == "dynet" else None,
        "energy_j": None,
        "git_sha": "0123456789ab",
        "source_hash": f"{system:0<16}",
        "host": HOST,
        **more,
    }
    batch = made["batch_size"]
    assert isinstance(batch, int)
    return made | {"throughput_inst_s": None if ms is None else batch / ms * 1e3}


def on_gpu(
    system: str, ms: float | None, variant: str = "full", **more: object
) -> dict[str, object]:
    """The same on a GPU."""
    gpu = {"device": "cuda", "device_name": GPU, "threads": 1}
    return row(system, ms, variant, **(gpu | more))


def frame(*rows: dict[str, object]) -> pd.DataFrame:
    """Rows as `load_rows` gives them."""
    found = pd.DataFrame([{"machine": MACHINE, **r} for r in rows])
    return found.sort_values(
        ["workload", "model_size", "batch_size", "threads"], kind="stable", ignore_index=True
    )


def spread(row: dict[str, object], part: float) -> dict[str, object]:
    """The row with samples up to `part` of the median away from it, which stays what it is."""
    ms = row["median_ms"]
    assert isinstance(ms, float)
    steps = [s / 10 for s in range(-10, 11)]
    return row | {"samples_ms": [ms * (1 + part * s) for s in steps], "rounds": [1] * len(steps)}


def save(root: Path, *rows: dict[str, object]) -> None:
    """Rows as files below `root`, where the harness writes them."""
    for r in rows:
        folder = root.joinpath(
            *(str(r[c]) for c in ("device", "workload", "model_size", "system", "variant"))
        )
        folder.mkdir(parents=True, exist_ok=True)
        counts = dict.fromkeys(("n_nodes", "n_batches", "n_kernel_calls", "n_syncs"), 7)
        path = folder / f"bs{r['batch_size']}.t{r['threads']}.json"
        path.write_text(json.dumps(r | counts))
