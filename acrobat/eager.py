"""A model run as plain Python: the counterpart of `runtime.program.Program` under
ACROBAT_DISABLE=1."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from .lang.model import Model
from .runtime.object_inputs import ObjectInputs, require_list
from .runtime.prepared import ProgramKey
from .runtime.profile import Profile, ReadProfile


def unbatched(input_ms: float) -> Profile:
    """The profile of a call in which nothing was batched."""
    return Profile(
        input_ms=input_ms,
        graph_ms=0.0,
        schedule_ms=0.0,
        copy_ms=0.0,
        kernel_ms=0.0,
        n_nodes=0,
        n_batches=0,
        n_kernel_calls=0,
        n_syncs=0,
        peak_mem_mb=0.0,
        spare_mb=0.0,
        nodes={},
        batches={},
        alone={},
        doubtful=(),
    )


class EagerProgram:
    """Runs the model on one instance after the other."""

    def __init__(self, model: Model[..., Any], params: Any) -> None:
        self.model, self.params = model, params
        self.key = ProgramKey()
        code = model.function.__code__
        # The parameters after the weights: the number of positional ones, and the keyword-only
        # ones.
        self.by_place = code.co_argcount - 1
        end = code.co_argcount + code.co_kwonlyargcount
        self.by_name = code.co_varnames[code.co_argcount : end]

    def convert(self, instances: Sequence[Any]) -> ObjectInputs:
        """Return the instances unchecked: an invalid one fails where the model uses it.
        InstanceError if they are not in a list."""
        start = time.perf_counter()
        require_list(instances)
        return ObjectInputs(self.key, (time.perf_counter() - start) * 1e3, tuple(instances))

    def run(self, inputs: ObjectInputs) -> tuple[list[Any], ReadProfile]:
        """Return the results in the order of the instances, and a function for a profile in which
        nothing was batched."""
        results = [self.call(instance) for instance in inputs.instances]
        return results, partial(unbatched, inputs.input_ms)

    def call(self, instance: Any) -> Any:
        """The result of one instance."""
        n, names = self.by_place, self.by_name
        parts = instance if n + len(names) > 1 else (instance,)
        return self.model(self.params, *parts[:n], **dict(zip(names, parts[n:], strict=True)))

    def count_min_batches(self, inputs: ObjectInputs) -> int:
        """0, because nothing is batched."""
        return 0
