"""A model run by the interpreter: the counterpart of `runtime.program.Program`."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import CapacityError
from ..layout import Layout
from ..options import Options
from ..runtime.faults import OUT_OF_MEMORY
from ..runtime.object_inputs import ObjectInputs, require_list
from ..runtime.prepared import ProgramKey
from ..runtime.profile import Profile, ReadProfile
from ..runtime.read_instances import read_instances
from ..runtime.records import stored_classes
from ..runtime.watched_call import WatchedCall
from .call import Call
from .choice import Choice
from .graph import Graph
from .kernels import BatchRunner, Kernels
from .memory import Arena
from .node import Handle
from .observer import Keeper, Observer
from .timeline import Timeline
from .watch import Watch


class VmProgram:
    """A model with its weights, run by the interpreter. Safe to call from several threads: each
    call has its own graph and memory."""

    def __init__(
        self,
        layout: Layout,
        weights: Mapping[str, np.ndarray],
        options: Options,
        kernels: BatchRunner | None = None,
    ) -> None:
        self.layout, self.module, self.options = layout, layout.module, options
        self.key = ProgramKey()
        self.kernels: BatchRunner = kernels or Kernels(layout, weights)
        self.choice = Choice()
        self.arena_weights = {n: weights[n].copy() for n in layout.arena_weights}
        self.fields = {d.cls: dict(d.given) for d in layout.datas}
        self.stored = stored_classes(self.module.datas)

    def renew(self, weights: Mapping[str, np.ndarray], changed: Set[str]) -> None:
        """Take over the numbers of the weights that have `changed`. Not during a call."""
        self.kernels = Kernels(self.layout, weights)
        self.arena_weights = {n: weights[n].copy() for n in self.layout.arena_weights}

    def convert(self, instances: Sequence[Any]) -> ObjectInputs:
        """Check the instances and copy them. InstanceError names the path to a bad field."""
        start = time.perf_counter()
        require_list(instances)
        read = read_instances(instances, self.module.arguments, self.module.datas, self.stored)
        shared = read.shared if self.layout.memoises else frozenset()
        took = (time.perf_counter() - start) * 1e3
        return ObjectInputs(self.key, took, read.instances, shared)

    def run(self, inputs: ObjectInputs) -> tuple[list[Any], ReadProfile]:
        """Run a mini-batch; return the results in the order of the instances, and a function for
        the profile. CapacityError if it needs more memory than it may take, or than is free."""
        results, profile = self._call(inputs)[1]
        return results, lambda: profile

    def trace(self, inputs: ObjectInputs) -> WatchedCall:
        """Run a mini-batch and return what became of each of its nodes."""
        timeline = Timeline()
        _, profile = self._call(inputs, timeline)[1]
        return timeline.call(profile, len(inputs.instances))

    def keep(self, inputs: ObjectInputs, timeline: Timeline | None = None) -> KeptCall:
        """Run a mini-batch and keep what it computed; `timeline` notes what is done. CapacityError
        as in `run`."""
        call, (results, profile) = self._call(inputs, timeline or Keeper())
        return KeptCall(call.graph, call.arena, results, profile, call.results.tensors)

    def watch(self, inputs: ObjectInputs) -> tuple[Graph, Watch]:
        """Run a mini-batch and return its graph, and what the watch noted."""
        watch = Watch()
        return self._call(inputs, watch)[0].graph, watch

    def count_min_batches(self, inputs: ObjectInputs) -> int:
        """Return a lower bound on the number of batches: the longest dependence chain of every
        block, summed. Runs the mini-batch to obtain its graph."""
        return self._call(inputs)[0].graph.min_batches()

    def _call(
        self, inputs: ObjectInputs, observer: Observer | None = None
    ) -> tuple[Call, tuple[list[Any], Profile]]:
        call = None
        try:
            call = Call(self, inputs, observer)
            return call, call.run()
        except MemoryError as error:
            # The traceback's frames would keep the call's memory alive as long as the error exists.
            call = None
            traceback.clear_frames(error.__traceback__)
            if isinstance(error, CapacityError):
                raise
        raise CapacityError(OUT_OF_MEMORY)


@dataclass(frozen=True, slots=True)
class KeptCall:
    """A mini-batch that has run, with everything that it computed. `graph.done` are its batches;
    `tensors` has, for every instance, the tensors of its result in order, or None for a tensor that
    the instance brought itself."""

    graph: Graph
    arena: Arena
    results: list[Any]
    profile: Profile
    tensors: list[list[Handle | None]]
