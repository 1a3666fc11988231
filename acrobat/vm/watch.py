"""Traces a mini-batch in the interpreter, node by node: which statement recorded the node, for
which instance, and in which batch it ran."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..ir import batched as B
from ..ir import typed as T
from ..ir.span import Span
from ..layout import Layout
from ..options import Options
from .graph import Batch, Graph
from .interpreter import Interpreter
from .node import Handle
from .observer import Observer
from .recorder import Recorder
from .tasks import Steps, Task
from .values import Env


@dataclass(slots=True)
class Watch(Observer):
    """The trace of a mini-batch. `runs[n]` and `instances[n]`: the statement that recorded node n,
    and the number of its instance. `starts`: where the records of the batches begin, in the order
    in which they ran; `computations[b]`: the flush that batch b was part of; `waits`: by flush, the
    decisions that waited for it (none for the last one). `behind[n]`: the nodes whose values
    decided that node n was recorded, minus those that another of these nodes is behind itself."""

    runs: list[B.Run] = field(default_factory=list)
    behind: list[frozenset[int]] = field(default_factory=list)
    instances: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    computations: list[int] = field(default_factory=list)
    waits: list[Counter[Span]] = field(default_factory=list)
    decisions: Counter[Span] = field(default_factory=Counter)
    numbers: dict[Task, int] = field(default_factory=dict)
    # The nodes that every instance and branch has read. The keys are the tasks themselves, because
    # the id() of a branch that has ended may be reused.
    gates: dict[Task, frozenset[int]] = field(default_factory=dict)

    def recorded(self, run: B.Run, state: Task) -> None:
        """A node of `run` was recorded by an instance or branch."""
        self.behind.append(self.gate(state))
        while state.parent is not None:
            state = state.parent
        self.runs.append(run)
        self.instances.append(self.numbers.setdefault(state, len(self.numbers)))

    def gate(self, state: Task) -> frozenset[int]:
        """Return what an instance or branch has read. A branch inherits what was read before it
        began."""
        if state not in self.gates:
            self.gates[state] = frozenset() if state.parent is None else self.gate(state.parent)
        return self.gates[state]

    def read(self, node: int, state: Task) -> None:
        """The value of `node` decides what the instance or branch does from now on."""
        if node >= 0:
            self.gates[state] = (self.gate(state) - self.behind[node]) | {node}

    def interpreter(
        self,
        layout: Layout,
        graph: Graph,
        ahead: int,
        options: Options,
        stored: Mapping[str, type],
        shared: frozenset[int],
    ) -> Interpreter:
        """See the base class; the interpreter reports every node and decision."""
        recorder = WatchedRecorder(layout, graph, ahead, self)
        return WatchedInterpreter(recorder, options, stored, shared)

    def scheduled(self, graph: Graph, batches: Sequence[Batch]) -> None:
        """See the base class."""
        self.starts += [b.record for b in batches]
        self.computations += [len(self.waits)] * len(batches)
        self.waits.append(self.decisions)
        self.decisions = Counter()

    def batch_of(self, location: int) -> int:
        """Return the batch that the record at a place of the arena belongs to."""
        return bisect_right(self.starts, location) - 1


class WatchedRecorder(Recorder):
    """Reports every node to a `Watch`."""

    def __init__(self, layout: Layout, graph: Graph, ahead: int, watch: Watch) -> None:
        super().__init__(layout, graph, ahead)
        self.watch = watch

    def record(
        self, run: B.Run, handles: Sequence[Handle], indices: Sequence[int], state: Task
    ) -> list[Handle]:
        """See the base class."""
        before = len(self.graph.nodes)
        outputs = super().record(run, handles, indices, state)
        if len(self.graph.nodes) > before:
            self.watch.recorded(run, state)
        return outputs


class WatchedInterpreter(Interpreter):
    """Reports every decision to the `Watch` of its recorder."""

    recorder: WatchedRecorder

    def let(self, stmt: B.Let, env: Env) -> Steps:
        """See the base class."""
        if not isinstance(stmt.rhs, T.Read):
            return super().let(stmt, env)
        handle = self.recorder.handle(env[stmt.rhs.tensor])
        watch = self.recorder.watch
        if not self.graph.computed(handle):
            watch.decisions[stmt.span] += 1
        before = super().let(stmt, env)
        return self._noted(before, handle.node)

    def _noted(self, reading: Steps, node: int) -> Steps:
        yield from reading
        self.recorder.watch.read(node, self.state)

    def together(self, branches: Sequence[Callable[[], Steps]], suspends: bool) -> Steps:
        """See the base class; whatever follows is behind what the branches have read."""
        watch, state = self.recorder.watch, self.state
        start = watch.gate(state)
        ends: list[Task] = []

        def noting(branch: Callable[[], Steps]) -> Callable[[], Steps]:
            def steps() -> Steps:
                results = yield from branch()
                ends.append(self.state)
                return results

            return steps

        results = yield from super().together([noting(b) for b in branches], suspends)
        watch.gates[state] = start.union(*(watch.gate(t) for t in ends))
        return results
