"""The backward pass of a mini-batch run by the interpreter: runtime/include/acrobat/gradients,
reimplemented in Python.

The backward graph is not recorded: it is the forward schedule in reverse, batch by batch. The
gradient of every address of the arena is at a constant distance from it, so that a view is just an
address there, too. A batch's adjoint writes its contributions to separate records, one per node;
these are then added to the gradients that they belong to, node by node. Nodes on which no result
depends are skipped, because 0 times what they computed need not be 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np

from ..options import Options
from ..runtime.object_inputs import ObjectInputs
from ..runtime.watched_call import WatchedCall
from ..vm.program import KeptCall, VmProgram
from ..vm.timeline import Timeline
from .nodes import BlockNodes, Finished, Touched
from .plan import TrainingPlan
from .records import Rows
from .weights import Collected, collect, matrix_of

Seeds = Sequence[Sequence[np.ndarray | None]]


class InterpretedTraining:
    """A program for the interpreter that contains blocks and adjoints."""

    def __init__(
        self, plan: TrainingPlan, weights: Mapping[str, np.ndarray], options: Options
    ) -> None:
        self.plan, self.weights = plan, weights
        self.program = VmProgram(plan.layout, weights, options)

    def renew(self, weights: Mapping[str, np.ndarray], changed: Set[str]) -> None:
        """Load the values of the weights that have `changed`."""
        self.program.renew(weights, changed)
        self.weights = weights

    def forward(self, inputs: ObjectInputs, watched: bool = False) -> InterpretedCall:
        """Run a mini-batch forward; if it is `watched`, it has a trace after the backward pass."""
        timeline = Timeline() if watched else None
        call = self.program.keep(inputs, timeline)
        return InterpretedCall(self, call, timeline)


class InterpretedCall:
    """A mini-batch after its forward pass: its results, and the number of tensors in each."""

    def __init__(
        self, training: InterpretedTraining, call: KeptCall, timeline: Timeline | None
    ) -> None:
        self.training, self.call, self._timeline = training, call, timeline
        self.results, self.profile = call.results, call.profile
        self.counts = [len(t) for t in call.tensors]

    def pull_back(self, seeds: Seeds) -> Collected:
        """The gradients of all weights that the blocks read."""
        training = self.training
        found = Collected(training.weights)
        finished = pull_back(training.program, training.plan, self.call, seeds, self._timeline)
        collect(training.plan, finished, found)
        if self._timeline is not None:
            self._timeline.did("weight gradients")
        return found

    def trace(self) -> WatchedCall:
        """The trace of a call, forward and backward."""
        assert self._timeline is not None
        return self._timeline.call(self.profile, len(self.results))


def pull_back(
    program: VmProgram,
    plan: TrainingPlan,
    call: KeptCall,
    seeds: Seeds,
    timeline: Timeline | None = None,
) -> Finished:
    """Run the adjoints of all batches; `seeds` are the gradients of the results' tensors."""
    graph, layout = call.graph, plan.layout
    floats = graph.floats
    shift = graph.take(floats)
    call.arena.floats[shift : shift + floats] = 0
    live: set[int] = set()
    touching = _Touching(layout.arena_weights, program.arena_weights)
    for tensors, gradients in zip(call.tensors, seeds, strict=True):
        for handle, gradient in zip(tensors, gradients, strict=True):
            if handle is not None and gradient is not None:
                at = graph.place(handle) + shift
                call.arena.floats[at : at + gradient.size] += gradient.ravel()
                live.add(handle.node)
                touching.note(np.array([graph.place(handle)]), gradient.size)
    found: list[list[BlockNodes]] = [[] for _ in plan.blocks]
    assert graph.done is not None
    for batch in reversed(graph.done):
        block = plan.blocks[batch.block]
        kept = np.array([i for i, m in enumerate(batch.members) if m in live], dtype=np.int64)
        if not len(kept):
            continue
        for i in kept:
            operands = graph.nodes[batch.members[i]].operands
            live.update(operands[j].node for j, _ in block.adjoint.operands)
        records = batch.record + kept * layout.blocks[batch.block].plan.record
        arguments = tuple(c[kept].astype(np.int64) for c in batch.offsets)
        size = 0 if block.number is None else layout.blocks[block.number].plan.record
        first = graph.take(size * len(kept))
        outputs = tuple(records + (at + shift) for at in block.outputs[: len(block.own)])
        nodes = BlockNodes(records, first + np.arange(len(kept)) * size, arguments, outputs)
        found[batch.block].append(nodes)
        so_far = Finished(call.arena.floats, shift, ())
        if block.number is not None:
            operands = len(block.adjoint.forward.gathered)
            columns = [so_far.starts(block, nodes, s) for s in block.adjoint.reads]
            columns += [arguments[operands + r] for r in block.adjoint.rows]
            offsets = tuple(c.astype(np.int32) for c in columns)
            members = tuple(batch.members[i] for i in kept)
            adjoint = replace(
                batch, block=block.number, members=members, record=first, offsets=offsets
            )
            if timeline is not None:
                timeline.did("scheduling")
            program.kernels.run(adjoint, so_far.memory)
            if timeline is not None:
                timeline.went_back(block.number, members, batch)
        for j, source in block.adjoint.operands:
            width = layout.blocks[batch.block].widths[j]
            values = so_far.rows(block, nodes, Rows(source, 1, width, width), None)
            places = (arguments[j] + shift)[:, None] + np.arange(width)
            np.add.at(so_far.memory, places, values)
            touching.note(arguments[j], width)
    return Finished(call.arena.floats, shift, tuple(map(_joined, found)), touching.rows())


@dataclass(slots=True)
class _Touching:
    """Collects which rows of weights in the arena get a gradient: `places` with widths so far."""

    starts: Mapping[str, int]
    weights: Mapping[str, np.ndarray]
    places: list[tuple[np.ndarray, int]] = field(default_factory=list)

    def note(self, places: np.ndarray, width: int) -> None:
        """Note that there is a gradient of `width` floats at each of `places`."""
        self.places.append((places, width))

    def rows(self) -> dict[str, Touched]:
        """The rows that get a gradient, by the path of the weight."""
        found: dict[str, Touched] = {}
        for path, start in self.starts.items():
            count, size = matrix_of(self.weights[path])
            rows: set[int] = set()
            whole = False
            for places, width in self.places:
                own = places[(places >= start) & (places < start + count * size)] - start
                for at in own.tolist():
                    first, last = at // size, min((at + width - 1) // size, count - 1)
                    whole = whole or last > first
                    rows.update(range(first, last + 1))
            found[path] = Touched(np.array(sorted(rows), np.int64), whole)
        return found


def _joined(parts: Sequence[BlockNodes]) -> BlockNodes | None:
    if not parts:
        return None
    arguments = zip(*(p.arguments for p in parts), strict=True)
    return BlockNodes(
        np.concatenate([p.records for p in parts]),
        np.concatenate([p.adjoints for p in parts]),
        tuple(map(np.concatenate, arguments)),
        tuple(map(np.concatenate, zip(*(p.gradients for p in parts), strict=True))),
    )
