"""What one call did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Profile:
    """What one call did. Times in milliseconds.

    `graph_ms`: the model's control flow, which builds the dataflow graph. `schedule_ms`: batching
    and operand offsets. `copy_ms`: gather copies and input tensors. `kernel_ms`: the batches. On a
    GPU, `kernel_ms` is the time from the first kernel of a computation to the end of its last one,
    by the GPU's clock (without gather fusion this includes the gather copies between them), and
    `copy_ms` is the rest of the wait for the GPU: staging, launching, transfers.
    `n_syncs`: how often the program stopped until values that decisions need were computed.
    `peak_mem_mb`: the arena in use; `spare_mb`: its room for more nodes, which was not touched.
    `nodes` and `batches`: how many each static block had.
    `doubtful`: with `Options.check_finite`, the instances that read, from a tensor, a number that
    is not finite, or that is whole, like those that masks and argmax make of a NaN.
    `alone`: how many nodes of each static block ran in a batch of their own, because no other
    instance or branch had a node of the block at the same depth. `input_ms`: the conversion of the
    instances, which is not part of `run`.
    """

    input_ms: float
    graph_ms: float
    schedule_ms: float
    copy_ms: float
    kernel_ms: float
    n_nodes: int
    n_batches: int
    n_kernel_calls: int
    n_syncs: int
    peak_mem_mb: float
    spare_mb: float
    nodes: Mapping[str, int]
    batches: Mapping[str, int]
    alone: Mapping[str, int]
    doubtful: tuple[int, ...]


# Programs return profiles like this, because most of them are never read.
ReadProfile = Callable[[], Profile]


@dataclass(frozen=True, slots=True)
class CallProfile(Profile):
    """The profile of a call and of what came before it: `compile_s`, the seconds of compiling (near
    zero if everything was in the cache), and `tune_s`, the seconds of the search for its kernel
    schedules (zero if they were known)."""

    compile_s: float
    tune_s: float

    @classmethod
    def of(cls, profile: Profile, compile_s: float, tune_s: float) -> CallProfile:
        """Make the profile of a call of a model that took so long to compile and to tune."""
        values = {f.name: getattr(profile, f.name) for f in fields(Profile)}
        return cls(**values, compile_s=compile_s, tune_s=tune_s)
