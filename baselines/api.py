"""The contract every measured system fulfils, `acrobat` included (docs/design.md, "Measuring").

A system lives in the file or folder of its name under `baselines/`: a class with the protocol
`System`, and beside it the system's record, `RECORD` (`system_record.py`). One process hosts one
system; the harness calls, in this order:

    supports -> prepare -> run (warm-up, then timed) -> outputs -> breakdown

`prepare` is untimed: it takes the weights and the instances as the workload module made them (the
same for every system) and brings them into the system's own in-memory form. `run` is timed: one
whole mini-batch, from instances in the system's own form to outputs ready.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Supported:
    """The system can run the workload."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The system cannot run the workload; `reason` goes into the row."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """The system could run the workload if its native build (`SystemRecord.build`) were there;
    `reason` says what is to be done, or how the build failed. The row is "skipped", and the next
    run tries again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One mini-batch to measure: what every system is given.

    `params` is an instance of the workload's `@ab.params` class holding float32 numpy arrays,
    `instances` a list of the workload's own data objects. `variant` selects the system's own
    alternative (for DyNet the autobatch strategy; for acrobat the changed option); "full" is the
    default. `threads` is the number of CPU threads the system may use.
    """

    workload: str
    size: str
    batch: int
    seed: int
    device: str
    threads: int
    variant: str
    params: Any
    instances: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the last `run` spent its time (milliseconds) and what it did; None: not known.

    `input_ms` is the conversion from the Python objects to the system's own form, measured in
    `prepare` and outside the timed region. `threads_used`: the number of threads, where the system
    does not use as many as it may. `precision`: in which its products were computed.
    """

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
    alone: Mapping[str, int] | None = None
    peak_mem_mb: float | None = None
    compile_s: float | None = None
    tune_s: float | None = None
    threads_used: int | None = None
    precision: str = "fp32"
    versions: Mapping[str, str] = field(default_factory=dict)


class System(Protocol):
    """One measured system, bound to one mini-batch."""

    # All variants there are; none if they are options of acrobat (`baselines.acrobat`).
    VARIANTS: ClassVar[tuple[str, ...]]

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported | NotBuilt:
        """Whether this system can run `problem`, which has no params and instances here; must not
        import heavy libraries to say no."""

    def prepare(self, problem: Problem) -> None:
        """Untimed: weights and instances into the system's own form; compile what needs it."""

    def run(self) -> None:
        """Timed: one whole mini-batch; on return the outputs are ready."""

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """Outputs of the last `run`, one tuple of float32 arrays per instance, in input order."""

    def breakdown(self) -> Breakdown:
        """Figures of the last `run`."""
