"""The results of a backward pass: the memory of the mini-batch, and where those of each block's
nodes are in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .plan import TrainedBlock
from .records import Rows, Source


@dataclass(frozen=True, slots=True)
class BlockNodes:
    """The n nodes of one forward block: where their records and those of their adjoints begin, the
    arguments (offsets of operands, then of gathered rows), and where the gradients of their outputs
    begin. Each array is int64 [n]."""

    records: np.ndarray
    adjoints: np.ndarray
    arguments: tuple[np.ndarray, ...]
    gradients: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True)
class Touched:
    """The rows of a weight in the arena that have a gradient, in ascending order. `whole`: more
    than single rows of it were read."""

    rows: np.ndarray
    whole: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """`memory` holds the values, the gradients and the outputs of adjoints, in floats; the gradient
    of a weight that lies in it is `shift` floats further on. `nodes[b]` are the nodes of block b,
    None if there are none or if they are not needed; `touched` are the rows of weights in the arena
    that have a gradient."""

    memory: np.ndarray
    shift: int
    nodes: tuple[BlockNodes | None, ...]
    touched: Mapping[str, Touched] = field(default_factory=dict)

    def starts(self, block: TrainedBlock, nodes: BlockNodes, source: Source) -> np.ndarray:
        """Where a value of every node begins: in `memory` or, for a gathered row, in its weight."""
        at = block.place(source)
        match source.place:
            case "output":
                return nodes.records + at
            case "gradient":
                return nodes.gradients[source.number] + at
            case "adjoint":
                return nodes.adjoints + at
            case "operand":
                return nodes.arguments[source.number] + at
            case "row":
                operands = len(block.adjoint.forward.gathered)
                return nodes.arguments[operands + source.number] + at

    def rows(
        self, block: TrainedBlock, nodes: BlockNodes, rows: Rows, table: np.ndarray | None
    ) -> np.ndarray:
        """The rows of all nodes: [n * count, width]; `table` is the weight of a gathered row."""
        starts = self.starts(block, nodes, rows.source)
        memory = self.memory if table is None else table.reshape(-1)
        if rows.count == 1 or rows.stride == rows.width:
            windows = np.lib.stride_tricks.sliding_window_view(memory, rows.count * rows.width)
            return np.ascontiguousarray(windows[starts].reshape(-1, rows.width))
        inner = np.arange(rows.count)[:, None] * rows.stride + np.arange(rows.width)
        found = memory[(starts[:, None] + inner.reshape(-1)[None, :])]
        return np.ascontiguousarray(found.reshape(-1, rows.width))
