"""The interface that every measured system implements, `acrobat` included (docs/design.md,
"Measuring").

A system lives in the file or folder of its name under `baselines/`: a class with the protocol
`System`, and beside it the system's record, `RECORD` (`system_record.py`). One process hosts one
system; the harness calls, in this order:

    supports -> prepare -> run (warm-up, then timed) -> outputs -> breakdown

A system that trains has a second class, its `Trainer`, with the same protocol and `reset`; one of
its runs is a training step.

`prepare` is untimed: it takes the weights and the instances as the workload module made them (the
same for every system) and converts them to the system's own in-memory form. `run` is timed: one
whole mini-batch, from instances in the system's own form until the outputs are ready.
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
    """The system could run the workload, but its native build (`SystemRecord.build`) is missing;
    `reason` says what to do, or how the build failed. The row is "skipped", and the next run tries
    again."""

    reason: str


# The variant of acrobat's trainer that computes the losses of a step and nothing else.
FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class Training:
    """How a training step updates the weights. A step is a forward and a backward pass over the
    mini-batch, whose loss is the mean of its instances' losses, and an update of all weights.
    `optimiser`: "sgd" subtracts `rate` times the gradient; "adagrad" (Duchi, Hazan, Singer 2011)
    divides that by the root of the sum of the squares of all gradients so far; "adam" (Kingma, Ba
    2015) subtracts `rate` times a running mean of the gradients, divided by the root of a running
    mean of their squares."""

    rate: float
    optimiser: str = "sgd"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mini-batch to measure, as given to every system.

    `workload` is the name by which systems know its model (`Workload.implementation`). `params` is
    an instance of the workload's `@ab.params` class holding float32 numpy arrays,
    `instances` a list of the workload's own data objects. `variant` selects one of the system's
    variants (for DyNet the autobatch strategy; for acrobat the changed options); "full" is the
    default. `threads` is the number of CPU threads that the system may use. With `training`, the
    weights and instances are those of the workload's loss (`workloads.losses`).
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
    training: Training | None = None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the last `run` spent its time (in milliseconds) and what it did; None if unknown.

    `input_ms` is the conversion from the Python objects to the system's own form, measured in
    `prepare`, outside the timed region. `threads_used`: the number of threads, if the system does
    not use as many as it may. `precision`: that in which its products were computed. A training
    step consists of `forward_ms`, `backward_ms` and `update_ms`.
    """

    input_ms: float | None = None
    graph_ms: float | None = None
    schedule_ms: float | None = None
    copy_ms: float | None = None
    kernel_ms: float | None = None
    forward_ms: float | None = None
    backward_ms: float | None = None
    update_ms: float | None = None
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

    # All existing variants; empty if variants are options, as acrobat's are (`baselines.acrobat`).
    VARIANTS: ClassVar[tuple[str, ...]]

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported | NotBuilt:
        """Whether this system can run `problem`, which has no params or instances yet. A negative
        answer must not require importing heavy libraries."""

    def prepare(self, problem: Problem) -> None:
        """Untimed: convert weights and instances to the system's own form; compile if needed."""

    def run(self) -> None:
        """Timed: run one whole mini-batch; on return the outputs are ready."""

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """Outputs of the last `run`, one tuple of float32 arrays per instance, in input order."""

    def breakdown(self) -> Breakdown:
        """Figures of the last `run`."""


class Trainer(System, Protocol):
    """A system that trains. `run` is a step; `outputs` are those of a step from the initial weights
    (`baselines.shared.steps.step_outputs`)."""

    def reset(self) -> None:
        """Untimed: restore the weights and the optimiser's state as they were after `prepare`."""
