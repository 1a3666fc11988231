"""Traces a call of the interpreter: runtime/include/acrobat/schedule/trace.h in Python."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ..runtime.profile import Profile
from ..runtime.structures import TRACE
from ..runtime.watched_call import ACTIVITIES, WatchedCall
from .graph import Batch, Graph
from .observer import Keeper


class Timeline(Keeper):
    """The trace of one call. The graph keeps its batches: a training step also runs them
    backwards."""

    def __init__(self) -> None:
        self._begin = time.perf_counter_ns()
        self._began = 0
        self._nodes: list[list[int]] = []  # instance, batch
        self._batches: list[tuple[int, ...]] = []
        self._spans: list[tuple[int, ...]] = []
        self._waits: list[tuple[int, int]] = []
        self._computations = 0
        # The instance that records, and its first node.
        self._instance, self._first = 0, 0

    def recording(self, graph: Graph, instance: int) -> None:
        """See the base class."""
        new = len(graph.nodes) - self._first
        self._nodes += [[self._instance, -1] for _ in range(new)]
        self._instance, self._first = instance, len(graph.nodes)

    def waiting(self, instances: Sequence[int]) -> None:
        """See the base class."""
        self._waits += [(i, self._computations) for i in instances]

    def scheduled(self, graph: Graph, batches: Sequence[Batch]) -> None:
        """See the base class."""
        self.recording(graph, self._instance)
        first = len(self._batches)
        for number, batch in enumerate(batches):
            place = (batch.block, self._computations, batch.phase, batch.depth)
            self._batches.append((batch.n, *place))
            for member in batch.members:
                self._nodes[member][1] = first + number
        self._computations += 1

    def went_back(self, block: int, members: Sequence[int], of: Batch) -> None:
        """The adjoints of the nodes `members` of batch `of` have run, as block number `block`."""
        place = (block, self._computations, of.phase, of.depth)
        self._nodes += [[self._nodes[member][0], len(self._batches)] for member in members]
        self._batches.append((len(members), *place))
        self.did("kernels", -1)

    def did(self, activity: str, batch: int = -1) -> None:
        """See the base class."""
        now = time.perf_counter_ns() - self._begin
        number = len(self._batches) + batch if activity == "kernels" else -1
        self._spans.append((self._began, now, 0, number, ACTIVITIES.index(activity), 0))
        self._began = now

    def call(self, profile: Profile, instances: int) -> WatchedCall:
        """Return the whole trace, once the call has ended."""
        nodes = [tuple(n) for n in self._nodes]
        found: tuple[Sequence[object], ...] = (nodes, self._batches, self._spans, self._waits)
        arrays = [np.array(a, dtype=t) for a, t in zip(found, TRACE.values(), strict=True)]
        return WatchedCall(profile, instances, *arrays)
