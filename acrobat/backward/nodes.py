"""The results of a backward pass: the memory of the mini-batch, and where the nodes of each block
have theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .plan import TrainedBlock
from .records import Rows, Source


@dataclass(frozen=True, slots=True)
class BlockNodes:
    """The nodes of one forward block, n of them: where the record of each begins, and that of its
    adjoint, its arguments: offsets of operands, then of gathered rows, and where the gradients of
    its outputs begin; int64 [n] each."""

    records: np.ndarray
    adjoints: np.ndarray
    arguments: tuple[np.ndarray, ...]
    gradients: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True)
class Touched:
    """The rows, ascending, of a weight in the arena that have a gradient. `whole`: more than single
    rows of it were read."""

    rows: np.ndarray
    whole: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """`memory` holds values, gradients and what adjoints put out, in floats; the gradient of a
    weight that lies in it is `shift` floats further on. `nodes[b]` are those of block b, None if
    there are none, or nobody asks for them; `touched` the rows of weights in the arena that have a
    gradient."""

    memory: np.ndarray
    shift: int
    nodes: tuple[BlockNodes | None, ...]
    touched: Mapping[str, Touched] = field(default_factory=dict)

    def starts(self, block: TrainedBlock, nodes: BlockNodes, source: Source) -> np.ndarray:
        """Where a value of every node begins: in the memory, or, of a row, in its weight."""
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
