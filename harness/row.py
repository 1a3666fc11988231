"""One row: everything known about one measured point (docs/design.md, "Measuring").

A point that could not be measured has a row too: `status` says what happened, `reason` why.
Times are in milliseconds unless the name says otherwise; None means unknown or not applicable.
"""

from __future__ import annotations

import json
import re
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .files import write_whole

MODES = ("inference", "train")
STATUSES = ("ok", "unsupported", "skipped", "oom", "timeout", "error")
# The outcomes of rows that should have a valid measurement and do not.
FAILURES = ("error", "oom", "timeout", "wrong")
# The largest difference from the reference, unless a configuration says otherwise.
TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class Row:
    """The columns, in the order in which they are written.

    `doubt` says why the median is unreliable (`harness.doubt`); None: not known. `rounds` is the
    number of `samples_ms` in each round. `mode` is the kind of run: "inference", or "train", a
    training step with the learning rate `rate` and the optimiser `optimiser` (None in old rows:
    "sgd"); `forward_ms`, `backward_ms` and `update_ms` are parts of a step's time. `max_rel_err`
    applies to a step: the largest difference of its losses, gradients and new weights from the
    reference's, relative to the largest element of each. `threads` is the number that the system
    was allowed to use, `threads_used` the number that it uses if that is smaller. `host` describes
    the machine (`harness.host`). `profiled_ms` is the time of the run whose parts are `graph_ms` to
    `kernel_ms`: the median one among the last runs of all rounds."""

    system: str
    variant: str
    workload: str
    model_size: str
    batch_size: int
    device: str
    device_name: str
    status: str
    reason: str
    doubt: str | None = None
    n_warmup: int = 0
    n_samples: int = 0
    median_ms: float | None = None
    iqr_ms: float | None = None
    min_ms: float | None = None
    samples_ms: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    throughput_inst_s: float | None = None
    input_ms: float | None = None
    graph_ms: float | None = None
    schedule_ms: float | None = None
    copy_ms: float | None = None
    kernel_ms: float | None = None
    forward_ms: float | None = None
    backward_ms: float | None = None
    update_ms: float | None = None
    profiled_ms: float | None = None
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
    max_rel_err: float | None = None
    tolerance: float = TOLERANCE
    mode: str = "inference"
    rate: float | None = None
    optimiser: str | None = None
    threads: int = 1
    threads_used: int | None = None
    precision: str = "fp32"
    seed: int = 0
    data: str = ""
    git_sha: str = ""
    source_hash: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    started_at: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status {self.status!r}: one of {', '.join(STATUSES)}")

    @property
    def outcome(self) -> str:
        """The status, or "wrong" if it has a time, but its outputs differ from the reference's."""
        return "wrong" if self.status == "ok" and not self.right else self.status

    @property
    def right(self) -> bool:
        """Whether its outputs match the reference's, as far as there are any to compare."""
        if self.status != "ok":
            return False
        error = self.max_rel_err if self.mode == "train" else self.max_abs_err
        # A limit is not a system and has no outputs.
        return error is None or within(error, self.tolerance)

    def write(self, path: Path) -> Path:
        """Write the row to a file; `harness.bench.row_path` gives the path."""
        write_whole(path, json.dumps(asdict(self), indent=1) + "\n")
        return path


def renamed(values: dict[str, Any]) -> dict[str, Any]:
    """The columns of a row of any age under their present names; rounds were once called turns."""
    found = {"rounds" if name == "turns" else name: value for name, value in values.items()}
    if isinstance(found.get("doubt"), str):
        found["doubt"] = re.sub(r"\bturn(s?)\b", r"round\1", found["doubt"])
    return found


def within(error: float, tolerance: float) -> bool:
    """Whether outputs that differ from the reference by `error` are right; never for NaN."""
    return error <= tolerance


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
