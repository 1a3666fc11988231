"""What one call did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Profile:
    """What one call did. Times in milliseconds.

    `graph_ms`: the model's control flow, which builds the dataflow graph. `schedule_ms`: batching
    and operand offsets. `copy_ms`: gather copies and input tensors. `kernel_ms`: the batches. On a
    GPU `kernel_ms` is from the first kernel of a computation to the end of its last, by the GPU's
    clock (gather copies, without gather fusion, are between them), and `copy_ms` what of the wait
    for the GPU that does not cover: staging, launching, transfers.
    `n_syncs` is how often the program stopped until values that decisions need were computed,
    `peak_mem_mb` the arena in use. `nodes` and `batches`: how many there were of each static block.
    `doubtful`: under `Options.check_finite`, the instances for which a number was read out of a
    tensor that is not finite, or whole, as what masks and argmax make of a NaN is.
    `alone`: of each static block, how many nodes ran in a batch of their own, because no other
    instance or branch had one of the same block at the same depth. `input_ms` is the conversion of
    the instances, which `run` does not include.
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
    nodes: Mapping[str, int]
    batches: Mapping[str, int]
    alone: Mapping[str, int]
    doubtful: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CallProfile(Profile):
    """The profile of a call, with what came before it: `compile_s` seconds of compiling (near zero
    when everything was in the cache), `tune_s` of the search for its kernels' schedules (zero when
    they were known)."""

    compile_s: float
    tune_s: float

    @classmethod
    def of(cls, profile: Profile, compile_s: float, tune_s: float) -> CallProfile:
        """That of a call of a model which took so long to compile and to tune."""
        values = {f.name: getattr(profile, f.name) for f in fields(Profile)}
        return cls(**values, compile_s=compile_s, tune_s=tune_s)
