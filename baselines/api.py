"""The contract every measured system fulfils, `acrobat` included (docs/design.md, "Measuring").

A system lives in the file or folder of its name under `baselines/`: a class with the protocol
`System`, and beside it the system's record, `RECORD` (`system_record.py`). One process hosts one
system; the harness calls, in this order:

    supports -> prepare -> run (warm-up, then timed) -> outputs -> breakdown

A system that trains has a second class with the same protocol and `reset`, its `Trainer`: one run
of it is a training step.

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


# The variant of acrobat's trainer that computes the losses of a step and nothing else.
FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class Training:
    """A training step is forward and backward through the losses of the mini-batch, whose loss is
    their mean, and an update of all weights. `optimiser`: "sgd" subtracts `rate` times the
    gradient; "adagrad" (Duchi, Hazan, Singer 2011) divides that by the root of the sum of the
    squares of all gradients so far; "adam" (Kingma, Ba 2015) subtracts `rate` times a running mean
    of the gradients over the root of one of their squares."""

    rate: float
    optimiser: str = "sgd"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mini-batch to measure: what every system is given.

    `workload` is the name by which systems know its model (`Workload.implementation`). `params` is
    an instance of the workload's `@ab.params` class holding float32 numpy arrays,
    `instances` a list of the workload's own data objects. `variant` selects the system's own
    alternative (for DyNet the autobatch strategy; for acrobat the changed option); "full" is the
    default. `threads` is the number of CPU threads the system may use. With `training` the weights
    and instances are those of the workload's loss (`workloads.losses`).
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
    """Where the last `run` spent its time (milliseconds) and what it did; None: not known.

    `input_ms` is the conversion from the Python objects to the system's own form, measured in
    `prepare` and outside the timed region. `threads_used`: the number of threads, where the system
    does not use as many as it may. `precision`: in which its products were computed. A training
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


class Trainer(System, Protocol):
    """A system that trains. `run` is a step; `outputs` are those of a step from the first weights
    (`baselines.shared.step_outputs`)."""

    def reset(self) -> None:
        """Untimed: the weights, and what the optimiser keeps, as they were after `prepare`."""
