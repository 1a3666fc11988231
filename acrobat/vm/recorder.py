"""Records nodes for the interpreter: runtime/include/acrobat/graph/context.h in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import CompilerBug
from ..ir import batched as B
from ..ir.type_queries import rows_of
from ..layout import Layout
from ..limits import HOISTED_ROWS, LEAST_DEPTHS_AHEAD
from .graph import ARENA_NODE, Graph
from .node import Handle, Node
from .tasks import Task


def depths_ahead(instances: int) -> int:
    """Return how many depths ahead the nodes of hoisted blocks run (as in graph/context.h)."""
    rows = HOISTED_ROWS // min(max(instances, 1), HOISTED_ROWS)
    return 1 << (max(LEAST_DEPTHS_AHEAD, rows).bit_length() - 1)


class Recorder:
    """Records the nodes of one mini-batch; hoisted nodes run at most `ahead` depths early."""

    def __init__(self, layout: Layout, graph: Graph, ahead: int) -> None:
        self.layout, self.graph, self.arena, self.ahead = layout, graph, graph.arena, ahead
        # Tensors of instances that were copied into the arena, by identity.
        self.given: dict[int, tuple[np.ndarray, Handle]] = {}
        # The node that a block with `BlockLayout.once` last recorded, by block and row offset.
        self.noted: dict[tuple[int, int], int] = {}

    def record(
        self, run: B.Run, handles: Sequence[Handle], indices: Sequence[int], state: Task
    ) -> list[Handle]:
        """Return the outputs of a node of `run`: a new node, or one that computes the same.
        `indices`: the offsets of gathered rows, in floats; `state`: the running instance or
        branch."""
        if run.hoisted and any(h.node != ARENA_NODE for h in handles):
            name = self.layout.blocks[run.block].block.name
            raise CompilerBug(f"{name} runs ahead of what it reads")
        row = self._row_of_weight(run.block, handles, indices)
        depth, phase = state.depth, state.phase
        state.depth += not run.hoisted
        if row is not None:
            depth, phase = 0, phase // self.layout.subphases * self.layout.subphases
        elif run.hoisted:
            depth = depth // self.ahead * self.ahead
        number = None if row is None else self.noted.get((run.block, row))
        if number is None or not self.graph.runs_no_later(number, state.phase):
            node = Node(run.block, phase, depth, tuple(handles), tuple(indices))
            number = self.graph.add(node)
            if self.layout.blocks[run.block].once is None:
                state.recorded.append(number)
            if row is not None:
                self.noted[run.block, row] = number
        return [Handle(number, o) for o in self.layout.blocks[run.block].plan.outputs]

    def _row_of_weight(
        self, block: int, handles: Sequence[Handle], indices: Sequence[int]
    ) -> int | None:
        """Return the offset of the row of a weight that a node reads, if the node reads nothing
        else, so that one node per mini-batch is enough; otherwise None."""
        once = self.layout.blocks[block].once
        if once is None:
            return None
        if not once.by_handle:
            return indices[0]
        rows, size = rows_of(self.layout.module.weights[once.weight])
        at = handles[0].offset - self.layout.arena_weights[once.weight]
        return at if at in range(0, rows * size, size) else None

    def handle(self, value: Handle | np.ndarray) -> Handle:
        """Return a handle of `value`. A tensor of an instance is copied into the arena at its first
        use."""
        if isinstance(value, Handle):
            return value
        if id(value) not in self.given:
            at = self.graph.take(value.size)
            self.arena.floats[at : at + value.size] = value.ravel()
            self.given[id(value)] = (value, Handle(ARENA_NODE, at))
        return self.given[id(value)][1]
