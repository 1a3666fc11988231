"""A cell: one workload, size, batch and thread count, and how long it is measured."""

from __future__ import annotations

import os
from dataclasses import dataclass

from baselines.api import Training

from .row import TOLERANCE


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured, and for how long. `systems` are (system, variant) pairs; `label` is the
    number of threads as requested, "all" or a number, and appears in the names of files and rules,
    because the meaning of "all" is known only where the cell runs. `noisy_seconds` is the extra
    wall-clock time allowed while rows may be unstable. With `training` a run is a training step."""

    workload: str
    size: str
    batch: int
    threads: int
    device: str
    seed: int
    sst_dir: str | None
    systems: tuple[tuple[str, str], ...]
    min_samples: int = 20
    min_seconds: float = 2.0
    max_seconds: float = float("inf")
    noisy_seconds: float = 0.0
    warmup: int = 3
    timeout_s: float = 300.0
    round_ms: float = 100.0
    pause_s: float = 0.05
    tolerance: float = TOLERANCE
    label: str = ""
    training: Training | None = None

    @property
    def mode(self) -> str:
        """The kind of run: "inference" or "train"."""
        return "train" if self.training else "inference"


def cores() -> int:
    """The number of CPUs that this process may use, which is what "all" threads means."""
    return len(os.sched_getaffinity(0))
