"""One row: everything known about one measured point (docs/design.md, "Measuring").

A row that could not be measured is a row too: `status` says what happened, `reason` why.
Times are in milliseconds unless the name says otherwise; None: not known or not applicable.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

STATUSES = ("ok", "unsupported", "skipped", "oom", "timeout", "error")


@dataclass(frozen=True, slots=True)
class Row:
    """The columns, in the order in which they are written."""

    system: str
    variant: str
    workload: str
    model_size: str
    batch_size: int
    device: str
    device_name: str
    status: str
    reason: str
    n_warmup: int = 0
    n_samples: int = 0
    median_ms: float | None = None
    iqr_ms: float | None = None
    min_ms: float | None = None
    samples_ms: list[float] = field(default_factory=list)
    throughput_inst_s: float | None = None
    input_ms: float | None = None
    graph_ms: float | None = None
    schedule_ms: float | None = None
    copy_ms: float | None = None
    kernel_ms: float | None = None
    n_nodes: int | None = None
    n_batches: int | None = None
    n_kernel_calls: int | None = None
    min_batches: int | None = None
    n_syncs: int | None = None
    alone: dict[str, int] | None = None
    peak_mem_mb: float | None = None
    compile_s: float | None = None
    tune_s: float | None = None
    energy_j: float | None = None
    max_abs_err: float | None = None
    threads: int = 1
    precision: str = "fp32"
    seed: int = 0
    data: str = ""
    git_sha: str = ""
    source_hash: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    started_at: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status {self.status!r}: one of {', '.join(STATUSES)}")

    def write(self, path: Path) -> Path:
        """Write the row to a file; where rows lie is `harness.bench.row_path`'s to say."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")
        return path


def read_row(path: Path) -> Row:
    """The row in `path`; ValueError names the file and what is wrong with it."""
    values: dict[str, Any] = json.loads(path.read_text())
    known = {f.name for f in fields(Row)}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise ValueError(f"{path}: unknown columns {', '.join(unknown)}")
    try:
        return Row(**values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def statistics_of(samples: list[float], batch: int) -> dict[str, Any]:
    """The columns that follow from the samples: median, interquartile range, minimum."""
    median = statistics.median(samples)
    quartiles = statistics.quantiles(samples, n=4) if len(samples) > 1 else [median] * 3
    return {
        "n_samples": len(samples),
        "median_ms": median,
        "iqr_ms": quartiles[2] - quartiles[0],
        "min_ms": min(samples),
        "samples_ms": [round(s, 6) for s in samples],
        "throughput_inst_s": batch / median * 1e3,
    }
